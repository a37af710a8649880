// SPDX-License-Identifier: Apache-2.0
// Lowering: how a compiler handles references when it loads the word at obj-0x18: where its code
// takes one, and where it gives one up.
//
// The compiler's pass is the same for every load; the error is in what the load declares. The word
// is not an object, so a correct load is borrowed, is not kept over a call, and counts nothing.
#pragma once

#include <array>
#include <cstdint>

namespace targets::managed_dict {

/// The load, as the compiler's intermediate code describes it.
struct SlotLoad {
  /// The result is a new reference, the code's own: it is given up at its last use. Else borrowed.
  bool owned = false;
  /// A borrowed value that is used after a call is promoted: a reference is taken for it, which is
  /// given up at its last use. How often this was done to the one value.
  std::uint8_t promotions = 0;
  /// How many such loads one attribute access has.
  std::uint8_t loads = 1;
  /// Whether a failing guard gives up what the code owns. Otherwise the state of the frame owns it,
  /// and the code that continues there does not know.
  bool exit_gives_up = true;
};

/// The ways out of the code after the load: through to the last use, or by a guard that fails.
enum class Way : std::uint8_t { through, exit };

/// An instruction that counts.
enum class Count : std::uint8_t { take, give_up };

/// Instructions that count the loaded word, in order.
struct CountPlan {
  std::array<Count, 16> steps{};
  std::uint32_t count = 0;

  void add(Count step) { steps[count++] = step; }
  /// References taken less those given up.
  int net() const;
};

/// The compiler's pass: inserts the counts that the load declares.
CountPlan insert_counts(const SlotLoad& load, Way way);

}  // namespace targets::managed_dict
