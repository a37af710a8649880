// SPDX-License-Identifier: Apache-2.0
// Finding timeline: a finding as lanes and rows: a row for each party, in the order of a report; a
// lane for each thread and stream, and one for the object.
#pragma once

#include "harness/client/outside/finding.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {

/// Returns the parties of the fault, and the missing order between two of them.
Timeline timeline(const client::Finding& finding);

}  // namespace harness::reports
