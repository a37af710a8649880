// SPDX-License-Identifier: Apache-2.0
// Tapes as minimizing sees them without running them: which choices belong together, and how to
// leave some out or call them by other names.
#pragma once

#include <map>
#include <vector>

#include "harness/history/causes.h"
#include "harness/pick.h"

namespace harness::minimizing {

/// How large a case is, the most important first. Smaller is better.
struct Measure {
  std::size_t op_count = 0;
  std::size_t further_count = 0;  ///< Neither ops nor arguments.
  std::size_t argument_count = 0;
  std::uint64_t slot_sum = 0;   ///< Sum of the slots of ops; earlier slots are simpler.
  std::uint64_t value_sum = 0;  ///< Sum of the values that are numbers.
  friend auto operator<=>(const Measure&, const Measure&) = default;
};

/// Returns how large the tape is; the smaller measure is the simpler tape.
Measure measure(const Tape& tape);

/// Returns whether the choice puts an op into a slot.
bool is_op(const Decision& decision);
/// Returns whether the choice is of a program: an op or an argument.
bool is_program(const Decision& decision);

/// The activations of the ops, ascending: by task, then by slot.
std::vector<Name> op_slots(const Tape& tape);

/// The tape without everything that these slots decide or cause.
Tape without_slots(const Tape& tape, const std::vector<Name>& slots, const Causes& causes);

/// Ops and arguments alone.
Tape program_of(const Tape& tape);

/// Returns the same choices as if the ops of `slots` stood in other slots; names derived from a
/// slot change with it.
Tape move_slots(const Tape& tape, const std::map<Name, Name>& slots, const Causes& causes);

/// Returns the slot of each op if there were no empty slot before it.
std::map<Name, Name> dense_slots(const Tape& tape);

}  // namespace harness::minimizing
