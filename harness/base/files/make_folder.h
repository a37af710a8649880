// SPDX-License-Identifier: Apache-2.0
// Folders to write into.
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// Makes a folder and its parents, unless they exist. Errors: std::runtime_error, one line with the
/// reason, followed by `advice`, if any.
void make_folder(const std::string& folder, std::string_view advice = {});

}  // namespace harness
