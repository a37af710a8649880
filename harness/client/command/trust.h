// SPDX-License-Identifier: Apache-2.0
// Trust: decides whether a finding of `run` was written by this user's Afterlife, so that its
// command may be started without asking.
//
// A finding carries a MAC (HMAC-SHA-512-256 of libsodium, crypto_auth) over the rest of the file,
// under a key in the user's state folder: $XDG_STATE_HOME/afterlife/key, else
// ~/.local/state/afterlife/key. The owner and the folder of a file prove nothing after a clone or
// an unzip.
#pragma once

#include <string>

#include "harness/client/outside/finding_file.h"

namespace harness::entries {

/// Returns the text of a finding with its MAC. Creates the key if there is none. If that fails,
/// returns the text unchanged, so that `replay` asks for --trust.
std::string sealed_finding(const std::string& text);

/// Returns whether the text has a valid MAC under this user's key.
bool is_own_finding(const std::string& text);

/// Prints the command, the folder and the changes of the environment to stderr. Returns if the text
/// is from this user, `trusted` is set, or the user confirms it on a terminal. Errors:
/// std::runtime_error if the command may not be started.
void require_trust(const std::string& file, const std::string& text, const Command& command,
                   bool trusted);

}  // namespace harness::entries
