// SPDX-License-Identifier: Apache-2.0
// ScenarioProgram: builds a tape op by op, for benchmarks and tests.
#pragma once

#include <initializer_list>
#include <vector>

#include "harness/run/scenario/scenario.h"

namespace harness {

/// `Op` enumerates a scenario's ops; kOps, indexed by it, contains their names.
template <class Op, const auto& kOps>
class ScenarioProgram {
 public:
  /// Puts `op` into the task's next slot. `arguments` are the tape values of the op's arguments, in
  /// the order of their choices; 0 is the default.
  ScenarioProgram& then(std::uint32_t task, Op op,
                        std::initializer_list<std::uint32_t> arguments = {}) {
    if (task >= next_slot_.size()) next_slot_.resize(task + 1);
    const Name slot = slot_name(task, next_slot_[task]++);
    decide(slot, Site::op, 0, op_value(kOps[raw(op)].name));
    std::uint16_t nth = 0;
    for (const std::uint32_t value : arguments) decide(slot, Site::argument, nth++, value);
    return *this;
  }
  /// Puts `op` into the next slot of task 0, the script.
  ScenarioProgram& script(Op op, std::initializer_list<std::uint32_t> arguments = {}) {
    return then(0, op, arguments);
  }

  const Tape& tape() const { return tape_; }

 private:
  void decide(Name activation, Site site, std::uint16_t nth, std::uint32_t value) {
    if (value != 0) tape_.push_back({activation, site_tag(site), nth, value});
  }

  Tape tape_;
  std::vector<std::uint32_t> next_slot_;
};

}  // namespace harness
