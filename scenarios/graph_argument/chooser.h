// SPDX-License-Identifier: Apache-2.0
// Chooser: chooses the variables of an op. The default is the most useful one: an object that
// fits.
#pragma once

#include "harness/run/scenario/chooser.h"
#include "harness/run/scenario/ops.h"
#include "scenarios/graph_argument/variables.h"

namespace scenarios::graph_argument {

/// Returns the value of a slot. Values of different slots differ by more than a block's elements.
constexpr std::int32_t value_of(const harness::Slot& slot) {
  return static_cast<std::int32_t>(10'000 * (slot.task + 1)) +
         kBlockStride * static_cast<std::int32_t>(slot.index);
}

class Chooser final : public harness::Chooser {
 public:
  using harness::Chooser::Chooser;

  /// Lists these more often in to_drop(), and more often leaves a node without a variable.
  void favour(Variables dropped) { dropped_ = dropped; }

  Variable from(Variables fitting, Variables favoured = 0);
  Variable to_drop(Variables fitting) { return from(fitting, dropped_); }
  /// Chooses the variable for a new object.
  Variable place(const harness::Slot& slot, Variables kind);
  /// Chooses a variable for a new node, or none.
  Variable place_node(const harness::Slot& slot);
  targets::graph_argument::StreamName stream() {
    return static_cast<targets::graph_argument::StreamName>(number(3));
  }

 private:
  Variables dropped_ = 0;
};

}  // namespace scenarios::graph_argument
