// SPDX-License-Identifier: Apache-2.0
// The parts of the scenario; scenario.cpp describes how they fit together.
#pragma once

#include "harness/run/scenario/scenario.h"
#include "targets/example/example.h"

namespace scenarios::example {

/// The ops of a run, one per row of ops.def.
enum class Op : std::uint8_t {
#define OP(name, applies, call) name,
#include "scenarios/example/ops.def"
};
inline constexpr auto kOps = std::to_array<harness::OpInfo>({
#define OP(name, applies, call) {#name},
#include "scenarios/example/ops.def"
});

/// Index of a row of kWindows in scenario.cpp.
enum class Window : std::uint8_t { replaced_before_launch, replaced_in_flight };

/// The size of a run.
struct Shape {
  std::uint32_t owner_count = 1;
  std::uint32_t user_slots = 8;
  std::uint32_t owner_slots = 4;
};

/// Spawns a user, which makes requests, and owners, which replace the requested buffers.
void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);
/// The same with another server, for tests with a broken one.
using Maker = decltype(targets::example::NamedPolicy::make);
void drive_server(harness::Scene& scene, const Shape& shape, Maker make);

int window_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::example
