// SPDX-License-Identifier: Apache-2.0
// Markdown: text of files as it stands in a table's cell.
#pragma once

#include <string>
#include <string_view>

namespace harness::reports {

/// Returns text that is not a markup of Markdown, in one line, and stays in its cell.
std::string markdown_cell(std::string_view text);

}  // namespace harness::reports
