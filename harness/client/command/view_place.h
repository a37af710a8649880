// SPDX-License-Identifier: Apache-2.0
// View place: checks whether a view may replace a file, and prints the files of views.
#pragma once

#include <string>
#include <string_view>

#include "harness/client/command/replay_options.h"

namespace harness::entries {

/// Refuses a file that cannot be written, or whose content is a reproducer or a finding. `what`:
/// the kind of the view, such as a page. Errors: std::runtime_error with one line.
void require_view_place(const std::string& file, std::string_view what);

/// Prints the files of one replay's views.
void print_written(const ReplayOptions& options);

}  // namespace harness::entries
