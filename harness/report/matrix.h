// SPDX-License-Identifier: Apache-2.0
// Matrix: findings for a terminal: path x variant with verdicts, and the windows.
#pragma once

#include <string>

#include "harness/report/findings.h"
#include "harness/report/terminal.h"

namespace harness::reports {

/// Returns each variant's verdict, one row per path and variant, with the faults that refute it.
std::string matrix(const Findings& findings, const Terminal& terminal);
/// Returns the state of each window per variant: a table for each path, with as many variants as
/// fit.
std::string cross_tables(const Findings& findings, const Terminal& terminal);
/// Returns how often each window was reached and caught.
std::string windows(const Findings& findings, const Terminal& terminal);
/// Returns three lines: how many variants came out as claimed, which did not, and how many findings
/// were kept.
std::string summary(const Findings& findings, const Terminal& terminal);

}  // namespace harness::reports
