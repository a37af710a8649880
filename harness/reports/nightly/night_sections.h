// SPDX-License-Identifier: Apache-2.0
// Night sections: the parts that a night's page is made of, and its tables of findings.
#pragma once

#include <string>
#include <string_view>

#include "harness/nightly/night.h"
#include "harness/reports/nightly/night_views.h"

namespace harness::reports {

/// Returns a section whose content scrolls by itself where it is wider than the page; "" where it
/// has none. `said` stands above it, as HTML.
std::string section(std::string_view title, std::string_view said, const std::string& inside);

/// Returns the content behind a line that opens it; "" if there is none.
std::string folded(std::string_view line, const std::string& inside);

/// Returns the findings of sound variants, the new ones first.
std::string sound_sections(const nightly::Night& night, const NightFiles& files);

/// Returns the findings of canaries, the new ones first; the known ones are folded.
std::string canary_sections(const nightly::Night& night, const NightFiles& files);

/// Returns the open findings that the night did not see: those that are fixed, then the others.
std::string absent_sections(const nightly::Night& night);

/// Returns the style sheet's rules of the tables. In a narrow window, a finding is a block of
/// lines, and columns that are `spare` are left out.
std::string_view night_sections_style();

}  // namespace harness::reports
