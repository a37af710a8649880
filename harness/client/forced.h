// Forced: the mark of a decision that the Python of a run cannot come to by itself: that its
// collector runs, or another of its threads goes on, where the interpreter does not look whether
// either is due. Another version of it may look there, or the same program laid out otherwise.
//
// The mark is a bit of the name of whoever asks, which no other name of a program's run has: a tape
// tells by itself what on it is forced.
#pragma once

#include "harness/pick.h"

namespace harness::client {

/// The second bit from the top: names that are derived have it clear (derive_name()).
inline constexpr Name kForcedMark = Name{1} << 62;

/// Returns the name under which is asked what is forced where `possible` asks.
constexpr Name force_name(Name possible) { return possible | kForcedMark; }
/// Returns the name of whoever asks, without the mark.
constexpr Name unforced_name(Name name) { return name & ~kForcedMark; }
constexpr bool is_forced(Name name) { return (name & kForcedMark) != 0; }
constexpr bool is_forced(const Decision& decision) { return is_forced(decision.activation); }

}  // namespace harness::client
