// SPDX-License-Identifier: Apache-2.0
// Canary page: how often the gate was wrong, with Wilson's intervals drawn.
#pragma once

#include <string>
#include <string_view>

#include "harness/reports/gate/canary_views.h"

namespace harness::reports {

/// Returns a section of a page; its badge is red where the report is.
std::string canary_section(const CanaryReport& report);

/// Returns a page of it alone: no script, no network.
std::string canary_page(const CanaryReport& report);

/// Returns the style sheet's rules of the section.
std::string_view canary_page_style();

}  // namespace harness::reports
