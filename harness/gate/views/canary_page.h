// SPDX-License-Identifier: Apache-2.0
// Canary page: the error rates of the gate, drawn with Wilson intervals.
#pragma once

#include <string>
#include <string_view>

#include "harness/gate/views/canary_views.h"
#include "harness/report/html.h"

namespace harness::reports {

/// Returns a section of a page. Its badge is red if the report is.
Markup canary_section(const CanaryReport& report);

/// Returns a page with this section only: no script, no network.
std::string canary_page(const CanaryReport& report);

/// Returns the style sheet's rules of the section.
Markup canary_page_style();

}  // namespace harness::reports
