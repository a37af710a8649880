// SPDX-License-Identifier: Apache-2.0
// Night sections: the sections of a night's page, with tables of findings.
#pragma once

#include <string>
#include <string_view>

#include "harness/nightly/night.h"
#include "harness/nightly/views/night_views.h"

namespace harness::reports {

/// Returns a section whose content scrolls if it is wider than the page; "" if the content is
/// empty. `said`: HTML above the content.
std::string section(std::string_view title, std::string_view said, const std::string& inside);

/// Returns content that is folded below a line; "" if there is none.
std::string folded(std::string_view line, const std::string& inside);

/// Returns the findings of sound variants, the new ones first.
std::string sound_sections(const nightly::Night& night, const NightFiles& files);

/// Returns the findings of canaries, the new ones first; the known ones are folded.
std::string canary_sections(const nightly::Night& night, const NightFiles& files);

/// Returns the open findings that the night did not see: fixed ones first, then the others.
std::string absent_sections(const nightly::Night& night);

/// Returns the style sheet's rules of the tables. In a narrow window, a finding becomes a block of
/// lines, and `spare` columns are left out.
std::string_view night_sections_style();

}  // namespace harness::reports
