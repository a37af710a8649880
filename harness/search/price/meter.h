// SPDX-License-Identifier: Apache-2.0
// Meter: the cost of one finished run, read from its history and its ledger.
//
// A launch is a call that queued a kernel or a graph. It waits from the turn at which its op began
// (or the run, if no op of its task did) until the turn at which the device begins that work, or
// until the end of the run.
// Units: turns, and bytes of lifetimes in the ledger: host and managed objects, device memory.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "harness/run/run.h"

namespace harness::pricing {

/// Identifies a launch in every variant: its op, and the number of the launch in that op.
struct LaunchName {
  Name op = 0;
  std::uint32_t nth = 0;
  auto operator<=>(const LaunchName&) const = default;
};

struct Launch {
  LaunchName name;
  Tick wait = 0;
  bool operator==(const Launch&) const = default;
};

struct RunCost {
  std::uint64_t ops = 0;          ///< Ops that began.
  std::uint64_t calls = 0;        ///< CUDA calls.
  std::uint64_t host_waits = 0;   ///< CUDA calls that wait for the device.
  std::uint64_t allocations = 0;  ///< Lifetimes that began, of any kind.
  std::uint64_t peak_bytes = 0;   ///< The most bytes that were alive at once.
  std::uint64_t byte_turns = 0;   ///< Sum over all lifetimes: bytes times turns.
  std::vector<Launch> launches;   ///< Launches in the order of the calls.
  bool operator==(const RunCost&) const = default;
};

/// Returns the cost of the run that used this world.
RunCost read_cost(const World& world);

}  // namespace harness::pricing
