// The parts of the scenario; scenario.cpp puts them together.
#pragma once

#include "harness/scenario.h"
#include "targets/example/example.h"

namespace scenarios::example {

/// A row of kOps, and of the table of calls in driver.cpp.
enum class Op : std::uint8_t { put, ask, ask_all, query, wait };
inline constexpr std::array<harness::OpInfo, 5> kOps{
    {{"put"}, {"ask"}, {"ask_all"}, {"query"}, {"wait"}}};

/// A row of kWindows in scenario.cpp.
enum class Window : std::uint8_t { replaced_before_launch, replaced_in_flight };

/// The size of a run.
struct Shape {
  std::uint32_t owner_count = 1;
  std::uint32_t user_slots = 8;
  std::uint32_t owner_slots = 4;
};

/// Spawns a user, who asks, and owners, who replace what is asked for.
void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);
/// The same with a server of the caller's, for tests that break one.
using Maker = decltype(targets::example::NamedPolicy::make);
void drive_server(harness::Scene& scene, const Shape& shape, Maker make);

int window_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::example
