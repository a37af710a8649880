// SPDX-License-Identifier: Apache-2.0
// Program replay: checks whether a program still has a finding of an earlier night.
#pragma once

#include <atomic>
#include <span>

#include "harness/nightly/absent.h"
#include "harness/nightly/command/programs/program_list.h"
#include "harness/nightly/deadline.h"

namespace harness::entries {

/// Replays a finding up to three times, with the program's command in the list. Without a command,
/// the result is *out of time*.
nightly::Absence program_absence(const nightly::AbsentFinding& finding,
                                 std::span<const NightProgram> programs,
                                 const nightly::Deadline& deadline, const std::atomic<bool>& stop);

}  // namespace harness::entries
