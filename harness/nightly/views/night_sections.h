// SPDX-License-Identifier: Apache-2.0
// Night sections: the sections of a night's page, with tables of findings.
#pragma once

#include <string_view>

#include "harness/nightly/night.h"
#include "harness/nightly/views/night_views.h"
#include "harness/report/html.h"

namespace harness::reports {

/// Returns a section whose content scrolls if it is wider than the page; nothing if the content is
/// empty. `said`: a line above the content; may be empty.
Markup night_section(std::string_view title, std::string_view said, const Markup& inside);

/// Returns content that is folded below a line; nothing if there is none.
Markup folded(std::string_view line, const Markup& inside);

/// Returns the findings of sound variants, the new ones first.
Markup sound_sections(const nightly::Night& night, const NightFiles& files);

/// Returns the findings of canaries, the new ones first; the known ones are folded.
Markup canary_sections(const nightly::Night& night, const NightFiles& files);

/// Returns the open findings that the night did not see: fixed ones first, then the others.
Markup absent_sections(const nightly::Night& night);

/// Returns the style sheet's rules of the tables. In a narrow window, a finding becomes a block of
/// lines, and `spare` columns are left out.
Markup night_sections_style();

}  // namespace harness::reports
