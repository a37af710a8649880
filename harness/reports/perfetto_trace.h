// SPDX-License-Identifier: Apache-2.0
// Perfetto trace: a whole run as lanes that https://ui.perfetto.dev draws: a track per task, stream
// and object of the fault, a slice for as long as it acts, runs or lives, an instant per event, and
// a flow for whatever led to something else.
#pragma once

#include <string>

#include "harness/reports/story.h"
#include "harness/reports/timeline/timeline.h"

namespace harness::reports {

/// Returns the run as a Trace of TrackEvents, in protobuf's encoding. A run has turns and no clock:
/// every row of it takes one microsecond, and says its turn. Equal runs give equal bytes.
std::string perfetto_trace(const Telling& telling);

/// Returns the same of a run that is drawn up already.
std::string perfetto_trace(const Timeline& timeline);

}  // namespace harness::reports
