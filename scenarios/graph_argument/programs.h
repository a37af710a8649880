// Programs: tapes put together op by op, for benchmarks, properties and tests.
#pragma once

#include <initializer_list>

#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

class Program {
 public:
  /// Puts `op` into the task's next slot. `arguments` are what a tape holds for the op's arguments,
  /// in the order in which they are asked; 0 is plain.
  Program& then(std::uint32_t task, Op op, std::initializer_list<std::uint32_t> arguments = {}) {
    if (task >= next_slot_.size()) next_slot_.resize(task + 1);
    const harness::Name slot = harness::slot_name(task, next_slot_[task]++);
    decide(slot, harness::Site::op, 0, harness::op_value(kOps[harness::raw(op)].name));
    std::uint16_t nth = 0;
    for (const std::uint32_t value : arguments) decide(slot, harness::Site::argument, nth++, value);
    return *this;
  }
  Program& script(Op op, std::initializer_list<std::uint32_t> arguments = {}) {
    return then(0, op, arguments);
  }
  Program& mutator(Op op, std::initializer_list<std::uint32_t> arguments = {}) {
    return then(1, op, arguments);
  }

  const harness::Tape& tape() const { return tape_; }

 private:
  void decide(harness::Name activation, harness::Site site, std::uint16_t nth,
              std::uint32_t value) {
    if (value != 0) tape_.push_back({activation, harness::site_tag(site), nth, value});
  }

  harness::Tape tape_;
  std::vector<std::uint32_t> next_slot_;
};

/// The documented ordinary use: a kernel node over the buffer that every script begins with, an
/// executable, a launch that is waited for.
inline Program plain_program() {
  return Program()
      .script(Op::add_kernel)
      .script(Op::instantiate)
      .script(Op::launch)
      .script(Op::synchronize);
}

}  // namespace scenarios::graph_argument
