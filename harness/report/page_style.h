// SPDX-License-Identifier: Apache-2.0
// Page style: the style sheet of a page, with the palette's colours.
#pragma once

#include <string>

namespace harness::reports {

/// Returns the text of the page's style element.
std::string page_style();

}  // namespace harness::reports
