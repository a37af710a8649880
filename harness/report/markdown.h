// SPDX-License-Identifier: Apache-2.0
// Markdown: escapes text for the cell of a table.
#pragma once

#include <string>
#include <string_view>

namespace harness::reports {

/// Returns the text on one line, without any effect as Markdown markup.
std::string markdown_cell(std::string_view text);

}  // namespace harness::reports
