// SPDX-License-Identifier: Apache-2.0
// Parts of the graph_argument scenario; scenario.cpp describes how they fit together.
#pragma once

#include "harness/run/scenario/scenario.h"
#include "targets/graph_argument/graph_argument.h"

namespace scenarios::graph_argument {

/// The ops of a script, one per row of ops.def.
enum class Op : std::uint8_t {
#define OP(name, ...) name,
#include "scenarios/graph_argument/ops.def"
};
inline constexpr auto kOps = std::to_array<harness::OpInfo>({
#define OP(name, ...) {#name},
#include "scenarios/graph_argument/ops.def"
});
inline constexpr std::size_t kOpCount = kOps.size();

/// Makes the path.
using Maker = targets::graph_argument::GraphArgument (*)(
    harness::Runtime& runtime, const targets::graph_argument::Setup& setup);

/// The number of tasks and of the op slots of each. Slots are numbered; task 0 is the
/// script.
struct Shape {
  std::uint32_t mutator_count = 1;
  std::uint32_t script_slots = 16;
  std::uint32_t mutator_slots = 5;
  /// Replaces the variant's own maker: tests use it to plant bugs.
  Maker make = nullptr;
};

/// The axes of a configuration, by index.
enum Axis : std::size_t { kDefaultStreamAxis, kCollectorAxis };

void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);

/// Judges leaks: objects alive for too long, and graphs that keep themselves alive.
void judge(harness::Scene& scene);

int window_of(const harness::Scene& scene, const harness::Fault& fault);

/// Returns whether a fault follows from the caller error that another fault reports.
bool comes_of(const harness::Fault& fault, const harness::Fault& callers);

}  // namespace scenarios::graph_argument
