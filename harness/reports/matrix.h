// SPDX-License-Identifier: Apache-2.0
// Matrix: findings for a reader at a terminal: path x variant with verdicts, and the windows.
#pragma once

#include <string>

#include "harness/reports/findings.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// Tells each variant's verdict, a row per path and variant, with what refuted it.
std::string matrix(const Findings& findings, const Terminal& terminal);
/// Returns what each variant's runs say of each window: a table per path, as many variants beside
/// each other as there is room for.
std::string cross_tables(const Findings& findings, const Terminal& terminal);
/// Returns how often each window was reached and caught.
std::string windows(const Findings& findings, const Terminal& terminal);
/// Three lines: how many variants came out as claimed, which did not, and how many findings were
/// kept.
std::string summary(const Findings& findings, const Terminal& terminal);

}  // namespace harness::reports
