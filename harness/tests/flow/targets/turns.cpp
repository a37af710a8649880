// SPDX-License-Identifier: Apache-2.0
#include "harness/tests/flow/targets/turns.h"

#include <algorithm>
#include <array>

namespace harness::testing {
namespace {

volatile int noted = 0;

__attribute__((noinline)) int inner(Turn turn, int round) {
  if (turn == Turn::early_return) return 0;
  noted = noted + round;
  if (noted > 1'000'000) noted = 0;
  return round + static_cast<int>(turn == Turn::value);
}

__attribute__((noinline)) void last(int round) {
  if (round > 0) noted = noted - 1;
}

/// Called by a library.
struct Visit {
  void operator()(int round) const { noted = noted + round; }
};

}  // namespace

__attribute__((noinline)) int top(Turn turn) {
  const int rounds = 3 + (turn == Turn::longer ? 1 : 0);
  for (int round = 0; round < rounds; ++round) {
    int answer = round;
    if (turn == Turn::other_call)
      last(round);
    else if (turn != Turn::call_left_out)
      answer = inner(turn, round);
    if (answer > round) noted = noted + 2;
  }
  const std::array<int, 2> visited{1, 2};
  std::for_each(visited.begin(), visited.end(), Visit());
  last(rounds);
  return noted;
}

}  // namespace harness::testing
