// Proofs by enumeration: smallest sets first, so that the first failure is at the least size.
#include <chrono>

#include "harness/minimize.h"
#include "harness/minimize_tape.h"
#include "harness/pick_deviations.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

bool shows(const Outcome& outcome, const Sought& sought) {
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    const bool there = sought.window < 0 || outcome.windows[i] == sought.window;
    if (there && (sought.signature.empty() || outcome.faults[i].signature() == sought.signature))
      return true;
  }
  return false;
}

class Prover {
 public:
  Prover(Runner& runner, const Case& the_case, const Limits& limits, const Sought& sought)
      : runner_(runner), case_(the_case), limits_(limits), sought_(sought), begin_(Clock::now()) {
    case_.tape = minimizing::program_of(the_case.tape);
  }

  Proof prove(std::uint32_t decision_limit) {
    for (std::uint32_t size = 0; size <= decision_limit; ++size) {
      proof_.decision_count = size;
      proof_.complete = run_sets(size);
      if (proof_.failed || !proof_.complete) break;
    }
    proof_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return proof_;
  }

 private:
  /// Runs every set of exactly `size`; false when the limits were reached first.
  bool run_sets(std::uint32_t size) {
    sets_.assign(case_.tape, size);
    do {
      if (spent()) return false;
      ++proof_.run_count;
      const Outcome& outcome =
          runner_.run(*case_.scenario, case_.variant, case_.config, *case_.device, sets_);
      if (sets_.depth() == size) take_in(outcome);
    } while (sets_.advance());
    proof_.question_count = sets_.base_question_count();
    return true;
  }

  void take_in(const Outcome& outcome) {
    proof_.vacuous &= outcome.vacuous;
    proof_.reached |= outcome.reached;
    if (proof_.failed || !shows(outcome, sought_)) return;
    proof_.failed = true;
    proof_.failing = case_;
    proof_.failing.tape = outcome.tape;
    for (const Fault& fault : outcome.faults) proof_.faults.push_back(fault.signature());
  }

  bool spent() const {
    if (proof_.run_count >= limits_.run_limit) return true;
    if (limits_.stop != nullptr && limits_.stop->load(std::memory_order_relaxed)) return true;
    return (proof_.run_count & 63) == 0 &&
           std::chrono::duration<double>(Clock::now() - begin_).count() >= limits_.second_limit;
  }

  Runner& runner_;
  Case case_;
  Limits limits_;
  Sought sought_;
  Clock::time_point begin_;
  Deviations sets_;
  Proof proof_;
};

}  // namespace

Proof prove(Runner& runner, const Case& the_case, std::uint32_t decision_limit,
            const Limits& limits, const Sought& sought) {
  return Prover(runner, the_case, limits, sought).prove(decision_limit);
}

}  // namespace harness
