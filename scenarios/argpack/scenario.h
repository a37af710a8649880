// SPDX-License-Identifier: Apache-2.0
// Parts of the argpack scenario; scenario.cpp describes how they fit together.
#pragma once

#include "harness/run/scenario/scenario.h"
#include "targets/argpack/argpack.h"

namespace scenarios::argpack {

/// The ops of a script, one per row of ops.def.
enum class Op : std::uint8_t {
#define OP(name, ...) name,
#include "scenarios/argpack/ops.def"
};
inline constexpr auto kOps = std::to_array<harness::OpInfo>({
#define OP(name, ...) {#name},
#include "scenarios/argpack/ops.def"
});
inline constexpr std::size_t kOpCount = kOps.size();

/// The number of tasks and of the op slots of each. Slots are numbered; task 0 is the
/// script.
struct Shape {
  std::uint32_t mutator_count = 1;
  std::uint32_t script_slots = 12;
  std::uint32_t closing_slots = 4;  ///< Additional ones, for a script that has launched nothing.
  std::uint32_t mutator_slots = 6;
};

/// The axes of a configuration, by index.
enum Axis : std::size_t { kBackendAxis, kGilAxis, kCollectorAxis };

/// Chooses the iteration order of an unordered map of parameters, by three choices: every order is
/// one combination. Default: kPlainWalk. If the first choice is 1, parents before children, the
/// default place of arrays is behind the packs.
targets::argpack::Walk pick_walk(harness::Scene& scene);

void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);

/// Drives another path: tests break one and check that a judge reports it.
using Maker = targets::argpack::Argpack (*)(harness::Runtime&, const targets::argpack::Setup&);
void drive_path(harness::Scene& scene, const Shape& shape, Maker make);

/// Returns the target's policies, each with its author's claim.
std::span<const harness::VariantInfo> variants();
/// Returns the maker of the path for the variant with this index.
Maker maker_of(std::size_t variant);

/// Judges the growth of objects of which a Program may own only one, however often it was reset.
void judge(harness::Scene& scene);

int window_of(const harness::Scene& scene, const harness::Fault& fault);
int way_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::argpack
