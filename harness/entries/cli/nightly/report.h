// SPDX-License-Identifier: Apache-2.0
// Nightly report: what a night leaves for people and for other programs besides what it prints.
#pragma once

#include <atomic>

#include "harness/entries/cli/nightly/commands.h"
#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Returns a night as it is reported: with the nights before it that did not happen, by --every.
nightly::Night night_of(nightly::History& history, const std::string& id,
                        const NightlyOptions& options);

/// Refuses the files that reports could not be written to, before a night is searched for them.
void require_places_for_reports(const NightlyOptions& options);

/// Removes what programs that were killed left beside the files of this history.
void remove_old_drafts(const std::string& history);

/// Writes the reproducers of what is news with a page for each, the page of the night, and the
/// files that were asked for; then prints the night. Pages are left out once `stop` is set or the
/// deadline has passed.
/// Returns the exit code.
int report_night(const NightlyOptions& options, nightly::History& history,
                 const nightly::Night& night, const nightly::Deadline& deadline,
                 const std::atomic<bool>& stop);

}  // namespace harness::entries
