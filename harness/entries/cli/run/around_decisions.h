// SPDX-License-Identifier: Apache-2.0
// Around decisions: looks for a fault that has moved, near the decisions that showed it before.
#pragma once

#include <atomic>
#include <functional>

#include "harness/client/client.h"
#include "harness/client/finding.h"

namespace harness::entries {

/// A fault found near the old decisions.
struct Nearby {
  unsigned run_count = 0;  ///< So many runs were made.
  bool is_found = false;   ///< The last of them shows the fault.
};

/// Runs the program without each of the finding's decisions, and with each at other questions that
/// can be answered so, until a run has a fault that `is_alike`: at most 40 runs.
Nearby look_around(const client::Client& client, const client::Finding& finding,
                   const std::function<bool(const client::ToldFault&)>& is_alike,
                   const std::atomic<bool>& stop);

}  // namespace harness::entries
