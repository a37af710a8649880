// SPDX-License-Identifier: Apache-2.0
// Folders to write into.
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// Makes a folder, and those that it is in, if they are not there yet. Errors: std::runtime_error,
/// one line with the reason, and with the advice, if any, of what to do.
void make_folder(const std::string& folder, std::string_view advice = {});

}  // namespace harness
