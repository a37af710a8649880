// SPDX-License-Identifier: Apache-2.0
// The parts of the scenario; scenario.cpp puts them together.
#pragma once

#include "harness/scenario.h"
#include "targets/example/example.h"

namespace scenarios::example {

/// The ops of a run, a row of ops.def each.
enum class Op : std::uint8_t {
#define OP(name, applies, call) name,
#include "scenarios/example/ops.def"
};
inline constexpr auto kOps = std::to_array<harness::OpInfo>({
#define OP(name, applies, call) {#name},
#include "scenarios/example/ops.def"
});

/// A row of kWindows in scenario.cpp.
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
/// The same with a server of the caller's, for tests that break one.
using Maker = decltype(targets::example::NamedPolicy::make);
void drive_server(harness::Scene& scene, const Shape& shape, Maker make);

int window_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::example
