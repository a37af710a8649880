// SPDX-License-Identifier: Apache-2.0
// Finding words: places, parties and results of a finding in words, common to all views.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/client/outside/finding.h"

namespace harness::reports {

/// Returns the name of a file, relative to the current folder if it is below that.
std::string near(const std::string& file);

/// Returns the position in a function: "crash.py:12", "f in libx.so", "libx.so+0x12".
std::string where(const client::Frame& frame);

/// Converts the recorded words of a choice or a thread for readers: "cuMemMap 2 of thread 1"
/// becomes "cuMemMap, the 2nd time", and Python's MainThread becomes the main thread.
std::string in_words(const std::string& told);

/// Returns the user's functions, the innermost first; those of libraries if there are no others.
std::vector<const client::Frame*> users_frames(const client::Place& place);

/// Returns the place of a call as the end of a sentence; "" if it was not recorded.
std::string at(const client::Place& place);

/// Returns the function as an addition to where(), which has it if there is no line.
std::string function_of(const client::Frame& frame);

/// Returns the call with its stream and thread: "cuMemFree_v2 on stream 1, thread Worker".
std::string call_of(const client::Party& party);

/// Returns the call of a party as an addition to its place: ", by cuMemFree on stream 2".
std::string by(const client::Party& party);

/// Returns whether nothing is known of the party.
bool is_absent(const client::Party& party);

/// Returns whether two uses, or a use and an end, are not ordered.
bool is_race(const client::ToldFault& fault);

/// Returns the word for the action of a party. In a data race, neither use is the last one.
std::string_view label_of(const client::ToldFault& fault, const client::PartyInfo& info);

/// Returns the kind of the finding and what it is about: "use_after_free of device memory".
std::string title_of(const client::Finding& finding);

/// Returns the finding in one sentence, with the lines of its use and of the end.
std::string sentence_of(const client::Finding& finding);

/// Returns the missing order or reference; "" if neither is missing.
std::string missing_in(const client::Finding& finding);

/// Returns why the wait that was meant to order two uses has no effect, as an addition to the wait;
/// "" if there is no such wait.
std::string idle_wait_of(const client::ToldFault& fault);

/// Returns how another face of the fault shows: by its kind, or as a race by its two uses.
std::string face_of(const client::ToldFault& fault, const client::ToldFault& face);

/// Returns a choice: its place, and the answer.
std::string decision_of(const client::ToldDecision& told);

/// Returns how many replays showed it, and why others did not.
std::string replays_of(const client::Finding& finding);

/// Returns the command that replays the file, for a POSIX shell; "" without a file.
std::string replay_command(const std::string& file);

}  // namespace harness::reports
