// SPDX-License-Identifier: Apache-2.0
// The pieces of the graph_argument scenario; scenario.cpp says how they fit.
#pragma once

#include "harness/scenario.h"
#include "targets/graph_argument/graph_argument.h"

namespace scenarios::graph_argument {

/// The ops of a script, a row of ops.def each.
enum class Op : std::uint8_t {
#define OP(name, applies, call) name,
#include "scenarios/graph_argument/ops.def"
};
inline constexpr auto kOps = std::to_array<harness::OpInfo>({
#define OP(name, applies, call) {#name},
#include "scenarios/graph_argument/ops.def"
});
inline constexpr std::size_t kOpCount = kOps.size();

/// Makes the path.
using Maker = targets::graph_argument::GraphArgument (*)(
    harness::Runtime& runtime, const targets::graph_argument::Setup& setup);

/// How many tasks take part and how many op slots each has. Slots are numbered; task 0 is the
/// script.
struct Shape {
  std::uint32_t mutator_count = 1;
  std::uint32_t script_slots = 16;
  std::uint32_t mutator_slots = 5;
  /// Makes the path instead of the variant's own maker: tests plant their defects by it.
  Maker make = nullptr;
};

/// The axes of a config, by index.
enum Axis : std::size_t { kDefaultStreamAxis, kCollectorAxis };

void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);

/// The growth by a graph that keeps itself alive.
void judge(harness::Scene& scene);

int window_of(const harness::Scene& scene, const harness::Fault& fault);

/// Returns whether a fault follows from a caller error, which another fault is about.
bool comes_of(const harness::Fault& fault, const harness::Fault& callers);

}  // namespace scenarios::graph_argument
