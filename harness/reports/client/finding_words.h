// SPDX-License-Identifier: Apache-2.0
// Finding words: places, parties and results of a finding in the words that all its views share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/client/finding.h"

namespace harness::reports {

/// Returns the name of a file, from the current folder on if it is below that.
std::string near(const std::string& file);

/// Returns where a function was: "crash.py:12", "f in libx.so", "libx.so+0x12".
std::string where(const client::Frame& frame);

/// Returns what a file tells of a decision or a thread in a reader's words: "cuMemMap 2 of thread
/// 1" is "cuMemMap, the 2nd time", and Python's MainThread the main thread.
std::string in_words(const std::string& told);

/// Returns the user's functions, the innermost first; those of libraries where there are no others.
std::vector<const client::Frame*> users_frames(const client::Place& place);

/// Says where a call was made, in words that follow it; "" if no one looked.
std::string at(const client::Place& place);

/// Returns the function in words that follow where(), which has it if there is no line.
std::string function_of(const client::Frame& frame);

/// Returns the call with its stream and thread: "cuMemFree_v2 on stream 1, thread Worker".
std::string call_of(const client::Party& party);

/// Returns what a party did there, in words that follow its place: ", by cuMemFree on stream 2".
std::string by(const client::Party& party);

/// Returns whether nothing is known of the party.
bool is_absent(const client::Party& party);

/// Returns whether two uses, or a use and an end, are not ordered.
bool is_race(const client::ToldFault& fault);

/// Returns the word for what a party did. Of two uses that race neither is the last.
std::string_view label_of(const client::ToldFault& fault, const client::PartyInfo& info);

/// Returns the kind of the finding and what it is about: "use_after_free of device memory".
std::string title_of(const client::Finding& finding);

/// Returns the finding in one sentence, with the lines of its use and of the end.
std::string sentence_of(const client::Finding& finding);

/// Returns which order or reference is missing; "" where neither is.
std::string missing_in(const client::Finding& finding);

/// Says why the wait that was meant to order two uses does not, in words that follow the wait; ""
/// where there is none.
std::string idle_wait_of(const client::ToldFault& fault);

/// Returns a decision as who asked for it, where, and the answer.
std::string decision_of(const client::ToldDecision& told);

/// Returns how many replays showed it, and why not all did.
std::string replays_of(const client::Finding& finding);

/// Returns the command that replays the file, for a POSIX shell; "" without a file.
std::string replay_command(const std::string& file);

}  // namespace harness::reports
