// SPDX-License-Identifier: Apache-2.0
// A run counts only if the path under test really ran: the driver says so, and the history bears it
// out.
#include <algorithm>

#include "harness/scenario.h"

namespace harness::oracles {
namespace {

// Tells events that only code under test leaves behind; ops and notes are the driver's own.
bool is_evidence(const Event& event) {
  return event.kind != EventKind::op && event.kind != EventKind::note;
}

void judge(Scene& scene) {
  const Records<Event>& events = scene.world().history.events();
  if (std::none_of(events.begin(), events.end(), is_evidence)) scene.mark_vacuous();
}

}  // namespace

extern const OracleInfo vacuity;
const OracleInfo vacuity{"vacuity", "a run in which the path under test did nothing proves nothing",
                         judge};

}  // namespace harness::oracles
