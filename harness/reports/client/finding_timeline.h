// SPDX-License-Identifier: Apache-2.0
// Finding timeline: what is known of a finding's run as lanes and rows: a row for each party, in
// the order in which they are reported; a lane for each thread and stream, and one for the object.
#pragma once

#include "harness/client/finding.h"
#include "harness/reports/timeline/timeline.h"

namespace harness::reports {

/// Draws up the parties of the fault, and the order that is missing between two of them.
Timeline timeline(const client::Finding& finding);

}  // namespace harness::reports
