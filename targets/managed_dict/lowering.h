// Lowering: what a compiler makes of "load the word at obj-0x18", as far as references go: where
// its code takes one, and where it gives one up.
//
// The compiler's pass is the same for every load; what is wrong is what the load says of itself.
// The word is no object, so a right one is borrowed, and is not kept over a call: nothing is
// counted.
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
  /// A guard that fails gives up what the code owns; else the state of the frame has it, and
  /// whoever goes on there does not know of it.
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

/// The compiler's pass: inserts the counts that the load asks for.
CountPlan insert_counts(const SlotLoad& load, Way way);

}  // namespace targets::managed_dict
