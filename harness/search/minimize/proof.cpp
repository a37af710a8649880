// SPDX-License-Identifier: Apache-2.0
// Proofs by enumeration: smallest sets first, so that the first failure has the smallest size. The
// run of a set shows in how many ways it can be extended by one choice, so the number of larger
// sets is known before they run.
#include <chrono>

#include "harness/search/minimize/minimize.h"
#include "harness/search/minimize/tape.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

bool shows(const Outcome& outcome, const Sought& sought) {
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    const bool there = sought.window < 0 || outcome.windows[i] == sought.window;
    if (there && (sought.signature.empty() || outcome.faults[i].signature() == sought.signature))
      return true;
  }
  return false;
}

}  // namespace

Enumeration::Enumeration(Runner& runner, const Case& the_case, const Limits& limits,
                         const Sought& sought)
    : runner_(runner), case_(the_case), limits_(limits), sought_(sought) {
  case_.tape = minimizing::program_of(the_case.tape);
}

void Enumeration::run_next_size() {
  begin_ = now();
  proof_.decision_count = size_;
  proof_.complete = run_sets();
  proof_.looped = !proof_.complete && proof_.endless_count >= limits_.endless_limit;
  proof_.seconds = seconds();
  ++size_;
}

bool Enumeration::run_sets() {
  larger_count_ = 0;
  sets_.assign(case_.tape, size_ + 1);  // One larger than the sets that run, so that the extensions
                                        // are counted.
  do {
    if (spent()) return false;
    ++proof_.run_count;
    const Outcome& outcome = runner_.run(case_, sets_);
    proof_.endless_count += outcome.endless;
    if (sets_.depth() == size_) take_in(outcome);
  } while (sets_.advance(sets_.depth() < size_));
  if (size_ == 0) proof_.question_count = sets_.base_question_count();
  return true;
}

void Enumeration::take_in(const Outcome& outcome) {
  ++proof_.schedule_count;
  larger_count_ += sets_.candidates().size();
  proof_.vacuous_count += outcome.vacuous;
  proof_.vacuous &= outcome.vacuous;
  proof_.reached |= outcome.reached;
  if (!outcome.failed()) return;
  keep(outcome, shows(outcome, sought_) ? proof_ : aside_);
}

void Enumeration::keep(const Outcome& outcome, Proof& proof) {
  if (proof.failed) return;
  proof.failed = true;
  proof.decision_count = size_;
  proof.failing = case_;
  proof.failing.tape = outcome.tape;
  proof.windows = outcome.windows;
  for (const Fault& fault : outcome.faults) proof.faults.push_back(fault.signature());
}

double Enumeration::seconds() const { return proof_.seconds + now() - begin_; }

bool Enumeration::spent() const {
  if (proof_.run_count >= limits_.run_limit) return true;
  if (proof_.endless_count >= limits_.endless_limit) return true;
  if (limits_.stop != nullptr && limits_.stop->load(std::memory_order_relaxed)) return true;
  if (limits_.second_limit == 0) return false;
  return (proof_.run_count & 63) == 0 && seconds() >= limits_.second_limit;
}

Proof prove(Runner& runner, const Case& the_case, std::uint32_t decision_limit,
            const Limits& limits, const Sought& sought) {
  Enumeration sets(runner, the_case, limits, sought);
  do {
    sets.run_next_size();
  } while (sets.proof().complete && !sets.proof().failed &&
           sets.proof().decision_count < decision_limit);
  return sets.proof();
}

}  // namespace harness
