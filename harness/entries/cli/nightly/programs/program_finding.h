// SPDX-License-Identifier: Apache-2.0
// Program finding: a finding of someone's program, as a history keeps it: without the command.
//
// A history may be another owner's, and what it holds never starts anything: the command comes from
// the list of programs, or from the command line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/client/finding_file.h"
#include "harness/entries/cli/nightly/programs/program_list.h"

namespace harness::entries {

/// Returns the words by which a history tells a fault from others: its signature, and the functions
/// of the program. Lines and folders are not among them.
std::string signature_of(const client::ToldFault& fault);

/// Returns the signatures of all that a run shows.
std::vector<std::string> signatures_of(const client::ClientRun& run);

/// Returns the text that a history keeps.
std::string program_reproducer(const client::Finding& finding, const NightProgram& program);

/// Returns the name of the program that such a text is of; "" where it is no such text.
std::string program_of_reproducer(const std::string& text);

/// Returns the finding, with a command. Errors: std::runtime_error with one line.
client::FindingFile parse_program_reproducer(const std::string& text, const Command& command);

/// Being in a folder, which a program is started in, for as long as this lives.
class InFolder {
 public:
  /// Errors: std::runtime_error if it cannot be entered.
  explicit InFolder(const std::string& folder);
  ~InFolder();
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::string before_;
};

}  // namespace harness::entries
