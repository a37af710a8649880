// Programs: tapes put together op by op, for benchmarks, properties and tests.
#pragma once

#include <initializer_list>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

class Program {
 public:
  /// Puts `op` into the next slot. `arguments` are what a tape holds for the op's arguments, in the
  /// order in which they are asked; 0 is plain.
  Program& then(Op op, std::initializer_list<std::uint32_t> arguments = {}) {
    const harness::Name slot = harness::slot_name(0, next_slot_++);
    decide(slot, harness::Site::op, 0, harness::op_value(kOps[harness::raw(op)].name));
    std::uint16_t nth = 0;
    for (const std::uint32_t value : arguments) decide(slot, harness::Site::argument, nth++, value);
    return *this;
  }

  const harness::Tape& tape() const { return tape_; }

 private:
  void decide(harness::Name activation, harness::Site site, std::uint16_t nth,
              std::uint32_t value) {
    if (value != 0) tape_.push_back({activation, harness::site_tag(site), nth, value});
  }

  harness::Tape tape_;
  std::uint32_t next_slot_ = 0;
};

/// The documented ordinary use: one alltoallv, which each rank waits for.
inline Program plain_program() { return Program().then(Op::alltoallv); }

}  // namespace scenarios::alltoallv
