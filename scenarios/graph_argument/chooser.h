// SPDX-License-Identifier: Apache-2.0
// Chooser: the variables that an op is given. The default one is the most useful: an object that
// fits.
#pragma once

#include "harness/scenario/chooser.h"
#include "harness/scenario/ops.h"
#include "scenarios/graph_argument/variables.h"

namespace scenarios::graph_argument {

class Chooser final : public harness::Chooser {
 public:
  using harness::Chooser::Chooser;

  /// Lists these more often among what is dropped, and leaves more nodes without a variable.
  void favour(Variables dropped) { dropped_ = dropped; }

  Variable from(Variables fitting, Variables favoured = 0);
  Variable to_drop(Variables fitting) { return from(fitting, dropped_); }
  /// Where a new thing goes.
  Variable place(const harness::Slot& slot, Variables kind);
  /// Where a node goes: a variable, or nowhere.
  Variable place_node(const harness::Slot& slot);
  targets::graph_argument::StreamName stream() {
    return static_cast<targets::graph_argument::StreamName>(number(3));
  }

 private:
  Variables dropped_ = 0;
};

}  // namespace scenarios::graph_argument
