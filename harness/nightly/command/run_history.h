// SPDX-License-Identifier: Apache-2.0
// Run history: the earlier searches of a program. It has the format of a history of nights
// (harness/nightly/README.md); each search is a night.
#pragma once

#include <memory>

#include "harness/client/command/earlier_searches.h"
#include "harness/client/command/run_client.h"

namespace harness::entries {

/// Opens the history of these options, and locks its folder, so that no other search writes to it.
/// Errors: std::runtime_error if the folder has no history and none can be created.
std::unique_ptr<EarlierSearches> open_run_history(const RunOptions& options);

}  // namespace harness::entries
