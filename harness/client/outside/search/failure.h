// SPDX-License-Identifier: Apache-2.0
// Failure: a run that fails without a named fault: a call returned an unexpected error, or the
// program ended badly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/process/process.h"
#include "harness/client/border/report.h"

namespace harness::client {

struct ClientRun;

/// The kind of such a finding. It is not in harness/core/fault/fault.def, because the driver does
/// not see it.
inline constexpr const char* kFailure = "failure";
/// The kind if an object is still alive at the end of the program because the call failed that
/// should have ended it.
inline constexpr const char* kLeak = "leak";
/// Returns whether the fault is a failure of either kind.
inline bool is_failure(const ToldFault& fault) {
  return fault.kind == kFailure || fault.kind == kLeak;
}

/// Returns all failures of the run, in order: errors that were not injected, then a bad end or a
/// hang, unless the user stopped it.
std::vector<ToldFault> failures_of(const ClientRun& run);

/// Returns the failure of the run that may be a bug of the program, or null: the first error that
/// is not in `expected` (failures of runs without choices), if its call ends a lifetime, the
/// program ended badly, or the search is `pedantic`; else the end itself. Returns null if the
/// program only gives up after an injected error or a time limit that passed, or if the run has a
/// named fault.
const ToldFault* suspect(const ClientRun& run, const std::vector<ToldFault>& expected,
                         bool pedantic);
/// Returns the first error of the run that is not in `expected`, that the program survived, and
/// whose call does not end a lifetime; or null.
const ToldFault* survived(const ClientRun& run, const std::vector<ToldFault>& expected);

/// Returns whether the failure is a run that exceeded its time limit, without a known reason.
bool took_too_long(const ToldFault& failure);

/// Returns whether the end of the run is one that a correct program may choose when a time limit
/// has passed: an exception, an abort, an exit code, or a longer wait.
bool is_giving_up_in_time(const ClientRun& run);

/// Returns whether this function ends a lifetime. Its error counts even if the program ignores it,
/// as finalizers do.
bool ends_something(std::string_view function);

/// Returns the end of a program in words, without numbers and addresses, which differ from run to
/// run.
std::string without_numbers(std::string_view text);

}  // namespace harness::client
