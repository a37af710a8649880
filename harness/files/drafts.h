// SPDX-License-Identifier: Apache-2.0
// Drafts: the files that programs write beside the ones that they are to become.
//
// One is named FILE.PROCESS.draft or FILE.PROCESS-N.draft, and goes with its program unless that is
// killed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace harness {

/// Returns the number of the process that a file is a draft of, or of a database's beside it.
std::optional<int> writer_of_draft(std::string_view name);

/// Removes the drafts in a folder whose programs are gone. It is to be a folder that programs of
/// this machine alone write into. What cannot be removed stays.
void remove_drafts(const std::string& folder);

}  // namespace harness
