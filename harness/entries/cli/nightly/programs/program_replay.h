// SPDX-License-Identifier: Apache-2.0
// Program replay: whether a program still shows what an earlier night found.
#pragma once

#include <atomic>
#include <span>

#include "harness/entries/cli/nightly/programs/program_list.h"
#include "harness/nightly/absent.h"
#include "harness/nightly/deadline.h"

namespace harness::entries {

/// Replays a finding of a program up to three times, by the command that the list has for it; where
/// it has none, there was no time for it.
nightly::Absence program_absence(const nightly::AbsentFinding& finding,
                                 std::span<const NightProgram> programs,
                                 const nightly::Deadline& deadline, const std::atomic<bool>& stop);

}  // namespace harness::entries
