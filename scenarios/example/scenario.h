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

/// The windows, one per row of windows.def.
enum class Window : std::uint8_t {
#define WINDOW(name, summary) name,
#include "scenarios/example/windows.def"
};

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

/// Returns the window that the fault belongs to, or -1.
int window_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::example
