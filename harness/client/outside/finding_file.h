// SPDX-License-Identifier: Apache-2.0
// Finding file: a finding as JSON, with the command that shows it and the choices that it needs.
#pragma once

#include <cstddef>
#include <string>

#include "harness/client/outside/search/search.h"

namespace harness::client {

/// Returns the text of the file.
std::string to_text(const Finding& finding, const Command& command);

struct FindingFile {
  Command command;
  Finding finding;
};

/// Number of leading bytes that identify such a file.
inline constexpr std::size_t kFindingBegin = 64;

/// Returns whether this is the text of such a file, or the beginning of one.
bool is_finding(const std::string& text);

/// Errors: std::runtime_error with one line.
FindingFile parse_finding(const std::string& text);

/// Returns the name of the program, or of the script that an interpreter runs.
std::string program_of(const Command& command);

/// Returns the name of the file, made of the program, the kind, and a hash of the signature.
std::string finding_name(const Finding& finding, const std::string& program);

/// Returns a sentence if the program's build-id differs from the one in the file, else "".
std::string other_build(const FindingFile& file);

/// Returns how a replay of the finding differs from the recorded one, or "". Folders and line
/// numbers may differ; functions, instructions and choices may not.
std::string difference(const FindingFile& recorded, const ClientRun& run);

}  // namespace harness::client
