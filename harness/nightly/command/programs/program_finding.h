// SPDX-License-Identifier: Apache-2.0
// Program finding: a finding in a user's program, as a history stores it: without the command.
//
// A history may come from another owner, so its content must not start anything: the command comes
// from the list of programs, or from the command line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/client/outside/finding_file.h"
#include "harness/nightly/command/programs/program_list.h"

namespace harness::entries {

/// Returns the signature of a fault in a history: its own signature, and the program's functions.
/// Lines and folders are not part of it.
std::string signature_of(const client::ToldFault& fault);

/// Returns the signatures of all faults of a run.
std::vector<std::string> signatures_of(const client::ClientRun& run);

/// Returns the text that a history stores.
std::string program_reproducer(const client::Finding& finding, const NightProgram& program);

/// Returns the program of such a text; "" if it is a different text.
std::string program_of_reproducer(const std::string& text);

/// Returns the finding, with a command. Errors: std::runtime_error with one line.
client::FindingFile parse_program_reproducer(const std::string& text, const Command& command);

/// Changes the working folder, in which a program is started, for the lifetime of this object.
class InFolder {
 public:
  /// Errors: std::runtime_error if the folder cannot be entered.
  explicit InFolder(const std::string& folder);
  ~InFolder();
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::string before_;
};

}  // namespace harness::entries
