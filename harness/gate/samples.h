// SPDX-License-Identifier: Apache-2.0
// Samples: the measurements of one benchmark, round by round.
//
// A sample is the least time of one process: noise of the machine only makes a process slower, so
// the least of its repetitions is nearest to the program's time. A round has a new process of each
// side, one right after the other, so a disturbance of the round affects both. Units: any positive
// unit in which less is better, the same for both sides.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace harness::gate {

enum class Side : unsigned char { base, head };

/// The least value of each benchmark in the output of one process.
using Reading = std::map<std::string, double>;

/// One process of each side.
struct Round {
  Reading base;
  Reading head;
};

/// One benchmark in one round.
struct Pair {
  double base;
  double head;
  bool operator==(const Pair&) const = default;
};

/// All rounds of one benchmark, in the order in which they were measured.
using Series = std::vector<Pair>;

}  // namespace harness::gate
