// SPDX-License-Identifier: Apache-2.0
// Operations on tapes that need no run: finding choices that belong together, leaving choices out,
// and renaming them.
#pragma once

#include <map>
#include <vector>

#include "harness/core/history/causes.h"
#include "harness/core/pick/pick.h"

namespace harness::minimizing {

/// The size of a case, the most important number first. Smaller is better.
struct Measure {
  std::size_t op_count = 0;
  std::size_t further_count = 0;  ///< Choices that are neither ops nor arguments.
  std::size_t argument_count = 0;
  std::uint64_t slot_sum = 0;   ///< Sum of the slots of ops; earlier slots are simpler.
  std::uint64_t value_sum = 0;  ///< Sum of the numeric values.
  friend auto operator<=>(const Measure&, const Measure&) = default;
};

/// Returns the size of the tape.
Measure measure(const Tape& tape);

/// Returns whether the choice puts an op into a slot.
bool is_op(const Decision& decision);
/// Returns whether the choice belongs to a program: an op or an argument.
bool is_program(const Decision& decision);

/// Returns the activations of the ops, ascending: by task, then by slot.
std::vector<Name> op_slots(const Tape& tape);

/// Returns the tape without everything that these slots choose or cause.
Tape without_slots(const Tape& tape, const std::vector<Name>& slots, const Causes& causes);

/// Returns only the ops and arguments.
Tape program_of(const Tape& tape);

/// Returns the same choices with the ops of `slots` in other slots. Names derived from a slot
/// change with it.
Tape move_slots(const Tape& tape, const std::map<Name, Name>& slots, const Causes& causes);

/// Returns, for each op, its slot if no slot before it were empty.
std::map<Name, Name> dense_slots(const Tape& tape);

}  // namespace harness::minimizing
