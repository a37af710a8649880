// SPDX-License-Identifier: Apache-2.0
// Variables of a scenario's program: what an op may be given, and what tapes call it.
//
// A tape names a variable, never a position in a list, and a new thing's plain variable depends on
// its slot alone: deleting one op leaves the arguments of the others where they were.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/scenario/ops.h"

namespace harness {

/// Returns what tapes call a variable. 0 would be the plain.
constexpr std::uint32_t tape_value(std::uint32_t variable) { return variable + 1; }

/// The variables that an argument may be, [0] plain; at most kLimit. A path with something else on
/// offer, such as none, numbers it behind its variables. Threads: the run's thread.
template <std::size_t kLimit>
class VariableOptions {
 public:
  void add(std::uint32_t variable) { values_[count_++] = tape_value(variable); }  ///< Lists one.
  /// Those of a set, a bit each, in ascending order.
  void add_all(std::uint32_t variables) {
    for (; variables != 0; variables &= variables - 1)
      add(static_cast<std::uint32_t>(std::countr_zero(variables)));
  }
  /// Those of a contiguous set, for what this slot makes.
  void add_for_new(std::uint32_t variables, const Slot& slot) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(variables));
    const auto count = static_cast<std::uint32_t>(std::popcount(variables));
    const std::uint32_t plain = first + (slot.index + 3 * slot.task) % count;
    add(plain);
    add_all(variables & ~(std::uint32_t{1} << plain));
  }

  /// One of them, by a question. There must be some.
  std::uint32_t pick(Scene& scene) const {
    const std::span<const std::uint32_t> values(values_.data(), count_);
    return values[scene.world().picker.pick_value(Site::argument, values)] - 1;
  }

 private:
  std::array<std::uint32_t, kLimit> values_;
  std::size_t count_ = 0;
};

}  // namespace harness
