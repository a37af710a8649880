// SPDX-License-Identifier: Apache-2.0
// Samples: the measurements of one benchmark, round by round.
//
// A sample is the least time of one process: the noise of a machine makes a process slower and
// never faster, so that the least of its repetitions is nearest to the program. A round has a fresh
// process of each side, one right after the other, which is the only thing that the two have in
// common: what slows down one round slows down both.
// Units: any, the same for both sides, where less is better; above zero.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace harness::gate {

enum class Side : unsigned char { base, head };

/// The least value of each benchmark that one process printed.
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
