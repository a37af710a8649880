// Finding file: a finding as JSON, with the command that shows it and the decisions that it takes.
#pragma once

#include <string>

#include "harness/client/search.h"

namespace harness::client {

/// Returns the text of the file.
std::string to_text(const Finding& finding, const Command& command);

struct FindingFile {
  Command command;
  Finding finding;
};

/// Returns whether this is the text of such a file, whole or not.
bool is_finding(const std::string& text);

/// Errors: std::runtime_error with one line.
FindingFile parse_finding(const std::string& text);

/// Returns the name of the file: of the program, of the kind, and a hash of the signature.
std::string finding_name(const Finding& finding, const Command& command);

/// Says how a replay of the finding differs from what is recorded, or nothing.
std::string difference(const Finding& recorded, const ClientRun& run);

}  // namespace harness::client
