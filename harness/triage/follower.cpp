#include "harness/triage/follower.h"

#include <algorithm>

#include "harness/pick/replay.h"
#include "harness/triage.h"

namespace harness::triaging {
namespace {

/// Returns where a life began, or ended, by an event of it.
Label site_of(const Event& event, const Ledger& ledger) {
  if (event.kind != EventKind::birth && event.kind != EventKind::death) return {};
  const auto& lives = ledger.lives();
  const auto life = std::find_if(lives.begin(), lives.end(),
                                 [&](const Life& one) { return one.name == event.object; });
  if (life == lives.end()) return {};
  return event.kind == EventKind::birth ? life->birth_site : life->death_site;
}

}  // namespace

void Follower::take_events() {
  const Records<Event>& events = world_.history.events();
  for (; event_count_ < events.size(); ++event_count_) {
    const Event& event = events[event_count_];
    if (event.kind == EventKind::call) continue;  // The seam tells more of it.
    trail_.add({.kind = Trail::Kind::event,
                .event = event.kind,
                .what = event.what,
                .site = site_of(event, world_.ledger),
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

Followed follow(Runner& runner, const Case& the_case) {
  Followed followed;
  const Trail::Current current(followed.trail);
  Replay replay(the_case.tape);
  triaging::Follower follower(replay, runner.world(), followed.trail);
  const Outcome& outcome = runner.run(*the_case.scenario, the_case.variant, the_case.config,
                                      *the_case.device, follower);
  follower.take_events();
  for (const Fault& fault : outcome.faults) followed.signatures.push_back(fault.signature());
  return followed;
}

}  // namespace harness
