// SPDX-License-Identifier: Apache-2.0
// SARIF: a case as a static analysis log (OASIS SARIF 2.1.0), with the run that led to its fault: a
// threadFlow per task and stream, whose steps are numbered across all of them in order.
//
// The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/, 3.36 to 3.38.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/report/story.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {

/// Returns a log of one run of `afterlife` with these results. `rules`: their ids.
nlohmann::ordered_json sarif_log(const std::vector<std::string>& rules,
                                 nlohmann::ordered_json results);

/// Returns a timeline as a codeFlow.
nlohmann::ordered_json sarif_code_flow(const Timeline& timeline, const std::string& message);

/// Returns the text of a log with the reported fault and its codeFlow; without results if there is
/// no fault. `file`: the reproducer.
std::string case_sarif(const Telling& telling, const std::string& file);

}  // namespace harness::reports
