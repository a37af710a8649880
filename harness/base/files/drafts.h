// SPDX-License-Identifier: Apache-2.0
// Drafts: temporary files that programs write next to the file that each is to replace.
//
// A draft is named FILE.PROCESS.draft or FILE.PROCESS-N.draft. Its program removes it, unless it is
// killed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace harness {

/// Returns the id of the process that wrote a draft, or a database's file next to one.
std::optional<int> writer_of_draft(std::string_view name);

/// Removes the drafts in a folder whose programs have ended. Only programs on this machine may
/// write into the folder. Files that cannot be removed stay.
void remove_drafts(const std::string& folder);

}  // namespace harness
