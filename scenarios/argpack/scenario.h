// SPDX-License-Identifier: Apache-2.0
// The pieces of the argpack scenario; scenario.cpp says how they fit.
#pragma once

#include "harness/scenario.h"
#include "targets/argpack/argpack.h"

namespace scenarios::argpack {

/// The ops of a script, a row of ops.def each.
enum class Op : std::uint8_t {
#define OP(name, applies, call) name,
#include "scenarios/argpack/ops.def"
};
inline constexpr auto kOps = std::to_array<harness::OpInfo>({
#define OP(name, applies, call) {#name},
#include "scenarios/argpack/ops.def"
});
inline constexpr std::size_t kOpCount = kOps.size();

/// How many tasks take part and how many op slots each has. Slots are numbered; task 0 is the
/// script.
struct Shape {
  std::uint32_t mutator_count = 1;
  std::uint32_t script_slots = 12;
  std::uint32_t closing_slots = 4;  ///< More of them, for a script that has launched nothing.
  std::uint32_t mutator_slots = 6;
};

/// The axes of a config, by index.
enum Axis : std::size_t { kBackendAxis, kGilAxis, kCollectorAxis };

/// Asks in which order an unordered map of parameters happens to be walked, by three questions:
/// every order is one set of answers. Plain: kPlainWalk. If the first answer is 1, parents before
/// children, the plain place of arrays is behind the packs.
targets::argpack::Walk pick_walk(harness::Scene& scene);

void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);

/// Drives a path of one's own: tests break one and see who notices.
using Maker = targets::argpack::Argpack (*)(harness::Runtime&, const targets::argpack::Setup&);
void drive_path(harness::Scene& scene, const Shape& shape, Maker make);

/// Growth by things that a Program may own once and no more, however often it was reset.
void judge(harness::Scene& scene);

int window_of(const harness::Scene& scene, const harness::Fault& fault);
int way_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::argpack
