// SPDX-License-Identifier: Apache-2.0
// Nightly report: the files that a night writes for users and other programs, and its output.
#pragma once

#include <atomic>

#include "harness/nightly/command/commands.h"
#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Returns a night for a report, including earlier nights that are missing according to --every.
nightly::Night night_of(nightly::History& history, const std::string& id,
                        const NightlyOptions& options);

/// Refuses output files that cannot be written, before the search of the night.
void require_places_for_reports(const NightlyOptions& options);

/// Removes drafts beside the files of this history that killed processes have left.
void remove_old_drafts(const std::string& history);

/// Writes the reproducers of new findings with a page for each, the page of the night, and the
/// requested files. Then prints the night. Leaves out pages after `stop` or the deadline. Returns
/// the exit code.
int report_night(const NightlyOptions& options, nightly::History& history,
                 const nightly::Night& night, const nightly::Deadline& deadline,
                 const std::atomic<bool>& stop);

}  // namespace harness::entries
