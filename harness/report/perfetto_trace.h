// SPDX-License-Identifier: Apache-2.0
// Perfetto trace: a whole run for https://ui.perfetto.dev: a track per task, stream and object of
// the fault, a slice for each time that it acts, runs or lives, an instant per event, and a flow
// from a cause to its effect.
#pragma once

#include <string>

#include "harness/report/story.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {

/// Returns the run as a Trace of TrackEvents, in protobuf's encoding. A run has turns but no clock:
/// each row takes one microsecond, and shows its turn. Equal runs give equal bytes.
std::string perfetto_trace(const Telling& telling);

/// Returns the same for an existing timeline.
std::string perfetto_trace(const Timeline& timeline);

}  // namespace harness::reports
