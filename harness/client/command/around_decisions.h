// SPDX-License-Identifier: Apache-2.0
// Around decisions: searches near the recorded choices for a fault that has moved.
#pragma once

#include <atomic>
#include <functional>

#include "harness/client/outside/client.h"
#include "harness/client/outside/finding.h"

namespace harness::entries {

/// A fault found near the recorded choices.
struct Nearby {
  unsigned run_count = 0;  ///< Number of runs made.
  bool is_found = false;   ///< The last run shows the fault.
};

/// Runs the program without each of the finding's choices, and with each of them at other places
/// that offer the same option, until a run has a fault for which `is_alike` holds. Makes at most 40
/// runs.
Nearby look_around(const client::Client& client, const client::Finding& finding,
                   const std::function<bool(const client::ToldFault&)>& is_alike,
                   const std::atomic<bool>& stop);

}  // namespace harness::entries
