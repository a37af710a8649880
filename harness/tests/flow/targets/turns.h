// SPDX-License-Identifier: Apache-2.0
// Turns: code that counts its edges, and behaves differently where it is told to.
#pragma once

namespace harness::testing {

/// Where it behaves differently.
enum class Turn : unsigned char {
  none,
  call_left_out,  ///< top() calls no inner().
  other_call,     ///< top() calls last() in its place.
  early_return,   ///< inner() returns at its beginning.
  value,          ///< inner() answers something else, by which top() turns.
  longer,         ///< top() goes round once more.
};

/// Runs it. Returns something that follows from all of it.
int top(Turn turn);

}  // namespace harness::testing
