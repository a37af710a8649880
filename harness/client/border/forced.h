// SPDX-License-Identifier: Apache-2.0
// Forced: the mark of a choice that the Python of a run cannot make by itself: a collection or a
// thread switch at a place where the interpreter checks for neither. Another version may check
// there, and so may a slightly different program.
//
// The mark is a bit in the name of the activation that is 0 in all other names of a run. So a tape
// shows which of its choices are forced.
#pragma once

#include "harness/core/pick/pick.h"

namespace harness::client {

/// The second highest bit. It is 0 in derived names (derive_name()).
inline constexpr Name kForcedMark = Name{1} << 62;

/// Returns the name of the forced choice at the place of `possible`.
constexpr Name force_name(Name possible) { return possible | kForcedMark; }
/// Returns the name of the activation, without the mark.
constexpr Name unforced_name(Name name) { return name & ~kForcedMark; }
constexpr bool is_forced(Name name) { return (name & kForcedMark) != 0; }
constexpr bool is_forced(const Decision& decision) { return is_forced(decision.activation); }

}  // namespace harness::client
