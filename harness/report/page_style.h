// SPDX-License-Identifier: Apache-2.0
// Page style: the style sheet of a page, with the palette's colours.
#pragma once

#include "harness/report/html.h"

namespace harness::reports {

/// Returns the content of the page's style element.
Markup page_style();

}  // namespace harness::reports
