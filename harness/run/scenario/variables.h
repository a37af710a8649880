// SPDX-License-Identifier: Apache-2.0
// Variables of a scenario's program: the possible arguments of an op, and their values on a tape.
//
// A tape names a variable, never a position in a list, and the default variable for a new object
// depends only on its slot. So deleting one op does not change the arguments of the others.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/run/scenario/ops.h"

namespace harness {

/// Returns the value of a variable on a tape. 0 is reserved for the default.
constexpr std::uint32_t tape_value(std::uint32_t variable) { return variable + 1; }

/// The variables that an argument may be, at most kLimit; [0] is the default. A path with other
/// options, such as "none", numbers them after its variables. Threads: the run's thread.
template <std::size_t kLimit>
class VariableOptions {
 public:
  /// Adds a variable.
  void add(std::uint32_t variable) { values_[count_++] = tape_value(variable); }
  /// Adds the variables of a set, the lowest first.
  void add_all(std::uint32_t variables) {
    for (; variables != 0; variables &= variables - 1)
      add(static_cast<std::uint32_t>(std::countr_zero(variables)));
  }
  /// Adds the variables of a contiguous set, with a default for a new object of this slot.
  void add_for_new(std::uint32_t variables, const Slot& slot) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(variables));
    const auto count = static_cast<std::uint32_t>(std::popcount(variables));
    const std::uint32_t plain = first + (slot.index + 3 * slot.task) % count;
    add(plain);
    add_all(variables & ~(std::uint32_t{1} << plain));
  }

  /// Chooses one of the variables. There must be at least one.
  std::uint32_t pick(Scene& scene) const {
    const std::span<const std::uint32_t> values(values_.data(), count_);
    return values[scene.world().picker.pick_value(Site::argument, values)] - 1;
  }

 private:
  std::array<std::uint32_t, kLimit> values_;
  std::size_t count_ = 0;
};

}  // namespace harness
