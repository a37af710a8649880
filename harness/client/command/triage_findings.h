// SPDX-License-Identifier: Apache-2.0
// Triage of findings of `afterlife run`: findings with the same signature in the same functions
// have one cause. It only reads the files, and starts no program.
#pragma once

#include <string>
#include <vector>

namespace harness::entries {

/// Prints a cause for each group of findings, the largest first. Returns the exit code of triage():
/// a cause without a recorded repair is unexplained.
int triage_findings(const std::vector<std::string>& files, bool json);

}  // namespace harness::entries
