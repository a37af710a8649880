// SPDX-License-Identifier: Apache-2.0
#include "harness/search/triage/follower.h"

#include "harness/core/pick/replay.h"
#include "harness/search/triage/triage.h"

namespace harness::triaging {

void Follower::take_events() {
  const Records<Event>& events = world_.history.events();
  for (; event_count_ < events.size(); ++event_count_) {
    const Event& event = events[event_count_];
    // The seam and the ledger record these with more details.
    const bool is_recorded_elsewhere = event.kind == EventKind::call ||
                                       event.kind == EventKind::birth ||
                                       event.kind == EventKind::death;
    if (is_recorded_elsewhere) continue;
    trail_.add({.kind = Trail::Kind::event,
                .event = event.kind,
                .what = event.what,
                .activation = event.activation,
                .values = {{1, event.object}, {2, event.value}}});
  }
}

std::uint32_t Follower::answer(const Question& question) {
  take_events();
  trail_.add({.kind = Trail::Kind::question,
              .what = Label::of(kSites[raw(question.site)].name.data()),
              .site = world_.scheduler.site(),
              .activation = question.activation,
              .values = {{1, question.option_count}}});
  const bool is_asked = question.option_count > 1 || inner_.hears_all();
  return is_asked ? inner_.answer(question) : 0;
}

}  // namespace harness::triaging

namespace harness {

Followed follow(Runner& runner, const Case& the_case, std::optional<std::size_t> step) {
  Followed followed;
  if (step) followed.trail.watch_code_at(*step);
  const Trail::Current current(followed.trail);
  Replay replay(the_case.tape);
  triaging::Follower follower(replay, runner.world(), followed.trail);
  const Outcome& outcome = runner.run(the_case, follower);
  follower.take_events();
  for (const Fault& fault : outcome.faults) followed.signatures.push_back(fault.signature());
  return followed;
}

}  // namespace harness
