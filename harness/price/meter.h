// SPDX-License-Identifier: Apache-2.0
// Meter: what one run cost, read from its history and its ledger when it is over.
//
// A launch is a call that queued a kernel or a graph. It waits from the turn at which its op began
// (the run, where no op of its task did) until the turn at which the device begins that work, or
// until the end of the run.
// Units: turns, and bytes of lives as the ledger has them: host and managed objects, device memory.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "harness/run.h"

namespace harness::pricing {

/// A launch by what is the same in every variant: its op, and which launch of that op it is.
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
  std::uint64_t calls = 0;        ///< Calls of CUDA.
  std::uint64_t host_waits = 0;   ///< Calls among them that wait for the device.
  std::uint64_t allocations = 0;  ///< Lives that began, of any kind.
  std::uint64_t peak_bytes = 0;   ///< The most bytes that were alive at once.
  std::uint64_t byte_turns = 0;   ///< The sum over all lives of their bytes times their turns.
  std::vector<Launch> launches;   ///< In the order of the calls.
  bool operator==(const RunCost&) const = default;
};

/// Returns what the run cost that this world was for.
RunCost read_cost(const World& world);

}  // namespace harness::pricing
