// SPDX-License-Identifier: Apache-2.0
// The toy path: boxes that one task reads while another replaces them and a third one sleeps. It is
// small enough to reason about. It has a variant for every kind of claim and for every way in which
// a claim fails, for tests of code that works on any scenario. The program afterlife_toys is the
// command line with this path in place of the real ones (scripts/cmake/tables.cmake).
#pragma once

#include <array>

#include "harness/run/run.h"

namespace harness::testing::toy {

/// The first few of the table, which do as they claim; a command line names the others.
enum Variant : std::size_t { borrow, retain, hoard, idle };

/// Ops: store remembers a box, use looks into the remembered one, replace drops a box for a new
/// one, nap only takes turns.
enum Op : std::uint8_t { store, use, replace, nap };

extern const Scenario scenario;
extern const DeviceInfo no_device;

/// The scenarios that a reader of reproducers may meet in these tests.
inline constexpr std::array<const Scenario*, 1> kScenarios{&scenario};
inline constexpr std::array<const DeviceInfo*, 1> kDevices{&no_device};

/// Returns the toy path under another name, with different runs and without windows.
Scenario driven_by(Label name, void (*drive)(Scene& scene));
/// The same for a variant that releases nothing: it omits retention.
Scenario hoarding(Label name, void (*drive)(Scene& scene));

inline Case make_case(Variant variant, Tape tape = {}, std::size_t config = 0) {
  return {&scenario, variant, config_at(scenario, config), &no_device, std::move(tape)};
}

inline Decision decide(Name activation, Site site, std::uint32_t value, std::uint16_t nth = 0) {
  return {activation, site_tag(site), nth, value};
}

inline std::uint32_t op(Op kind) { return op_value(scenario.ops[kind].name); }

inline constexpr std::uint32_t kUser = 0;
inline constexpr std::uint32_t kMutator = 1;
inline constexpr std::uint32_t kBystander = 2;

/// store; use in the user, replace in the mutator: fails if the mutator runs in between.
Tape small_program();

}  // namespace harness::testing::toy
