// SPDX-License-Identifier: Apache-2.0
// A run counts only if the path under test really ran: the driver reports it, and the history
// confirms it.
#include <algorithm>

#include "harness/run/scenario/scenario.h"

namespace harness::oracles {
namespace {

// Returns whether only code under test leaves such events. Ops and notes come from the driver.
bool is_evidence(const Event& event) {
  return event.kind != EventKind::op && event.kind != EventKind::note;
}

void judge_vacuity(Scene& scene) {
  const Records<Event>& events = scene.world().history.events();
  if (std::none_of(events.begin(), events.end(), is_evidence)) scene.mark_vacuous();
}

}  // namespace

extern const OracleInfo vacuity;
const OracleInfo vacuity{"vacuity", "a run in which the path under test did nothing proves nothing",
                         judge_vacuity};

}  // namespace harness::oracles
