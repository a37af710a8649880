// SPDX-License-Identifier: Apache-2.0
// Triage of findings of `afterlife run`: those with one signature in the same functions are of one
// cause. Starts no program: all of it is in the files.
#pragma once

#include <string>
#include <vector>

namespace harness::entries {

/// Prints a cause for each group of findings, the largest first. Returns the exit code: as
/// triage(), where a cause without a recorded repair is unexplained.
int triage_findings(const std::vector<std::string>& files, bool json);

}  // namespace harness::entries
