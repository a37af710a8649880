// SPDX-License-Identifier: Apache-2.0
// Lowering: models how a compiler counts references when it loads the word at obj-0x18: where its
// code takes a reference, and where it gives one up.
//
// The compiler's pass is the same for every load; the bug is in a load's declaration. The word is
// not an object, so a correct load is borrowed, is not kept across a call, and counts nothing.
#pragma once

#include <array>
#include <cstdint>

namespace targets::managed_dict {

/// Declaration of the load in the compiler's intermediate code.
struct SlotLoad {
  /// The result is a new reference, given up at its last use. If not, it is borrowed.
  bool owned = false;
  /// Number of promotions of one value. A borrowed value that is used after a call is promoted: a
  /// reference is taken, and given up at the last use.
  std::uint8_t promotions = 0;
  /// Number of such loads in one attribute access.
  std::uint8_t loads = 1;
  /// A failing guard gives up the code's references. If not, the frame's state owns them, and the
  /// code that continues there does not give them up.
  bool exit_gives_up = true;
};

/// Ways out of the code after the load: on to the last use, or through a failing guard.
enum class Way : std::uint8_t { through, exit };

/// An instruction that changes a reference count.
enum class Count : std::uint8_t { take, give_up };

/// Instructions that count the loaded word, in program order.
struct CountPlan {
  std::array<Count, 16> steps{};
  std::uint32_t count = 0;

  void add(Count step) { steps[count++] = step; }
  /// Returns the number of references taken minus those given up.
  int net() const;
};

/// The compiler's pass: inserts the instructions that the load's declaration requires.
CountPlan insert_counts(const SlotLoad& load, Way way);

}  // namespace targets::managed_dict
