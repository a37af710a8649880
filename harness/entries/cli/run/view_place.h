// SPDX-License-Identifier: Apache-2.0
// View place: whether a view of a case or a finding may take the place of a file, and where it is.
#pragma once

#include <string>
#include <string_view>

#include "harness/entries/cli/commands.h"

namespace harness::entries {

/// Refuses a file that could not be written, or would take the place of a reproducer or a finding.
/// `what` is the view: a page. Errors: std::runtime_error with one line.
void require_view_place(const std::string& file, std::string_view what);

/// Prints where the views of one replay are.
void print_written(const ReplayOptions& options);

}  // namespace harness::entries
