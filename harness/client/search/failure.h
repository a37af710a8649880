// Failure: a run that fails without a fault that has a name: a call returned an error that nothing
// had the program expect, or the program ended badly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/client/report.h"
#include "harness/process/process.h"

namespace harness::client {

struct ClientRun;

/// The kind of such a finding. It is none of harness/fault.def: the driver does not see it.
inline constexpr const char* kFailure = "failure";

/// Returns each way in which the run failed, in order: its errors that were not injected, then its
/// own end or its hang, unless it succeeded or the user ended it.
std::vector<ToldFault> failures_of(const ClientRun& run);

/// Returns the run's way of failing that could be one of the program's bugs, or null: the first
/// error that is none of `expected` (failures of runs of the program without decisions), if the
/// call ends something, the program ended badly, or the search is `pedantic`; else the end itself.
/// A program that only gives up after an injected error, and a fault that has a name, leave none.
const ToldFault* suspect(const ClientRun& run, const std::vector<ToldFault>& expected,
                         bool pedantic);
/// Returns the first error of the run that is none of `expected` and that the program survived, of
/// a call that ends nothing; or null.
const ToldFault* survived(const ClientRun& run, const std::vector<ToldFault>& expected);

/// Returns whether the failure is that a run did not end in its time, for no reason that is known.
bool took_too_long(const ToldFault& failure);

/// Returns whether a call of this function ends the life of something: its error is one even for a
/// program that passes over it, as finalizers do.
bool ends_something(std::string_view function);

/// Returns the end of a program in words without what differs from run to run: numbers and
/// addresses.
std::string without_numbers(std::string_view text);

}  // namespace harness::client
