// How it works. Every candidate is a tape that is replayed; if the fault shows, the tape *recorded*
// by that replay, which lacks whatever met no question, becomes the new best, provided that it is
// smaller. Passes only propose candidates. Cheap ones (leave things out) run until none helps; then
// the dear ones (leave an op out and look for another schedule; look for fewer further decisions)
// get their turn, and after any success the cheap ones again. The end is a fixpoint of all of them:
// minimizing it once more proposes the same candidates in vain.
#include "harness/minimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "harness/minimize_tape.h"
#include "harness/pick_deviations.h"
#include "harness/reproducer_words.h"
#include "harness/world.h"

namespace harness {
namespace {

using minimizing::Measure;
using Clock = std::chrono::steady_clock;

// Bounds on searches for another schedule: what a whole pass may spend, shared among its ops. They
// depend on the tape alone, so that a second minimization searches no further than the first.
constexpr std::uint64_t kAdjustRunLimit = 200;  ///< One decision on top of all that are left.
constexpr std::uint64_t kReplanRunLimit = 350;  ///< Few decisions on top of the program alone.
constexpr std::uint64_t kFewerRunLimit = 400;
constexpr std::uint32_t kReplanDecisionLimit = 2;

bool same_bug(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.object_kind == b.object_kind && a.birth_site == b.birth_site &&
         a.death_site == b.death_site && a.use_site == b.use_site;
}

class Shrinker {
 public:
  Shrinker(Runner& runner, const Case& the_case, const Limits& limits)
      : runner_(runner), trial_(the_case), limits_(limits), begin_(Clock::now()) {}

  Minimized shrink(std::string_view signature) {
    result_.the_case = trial_;
    if (!find_target(signature)) return report();
    result_.deterministic = is_deterministic();
    if (!result_.deterministic) return report();
    while (improve_cheaply() || improve_dearly()) continue;
    result_.finished = !spent();
    return report();
  }

 private:
  enum class Found : std::uint8_t { better, nothing, cut_short };

  // ---- running ----

  bool spent() const {
    if (result_.run_count >= limits_.run_limit) return true;
    if (limits_.stop != nullptr && limits_.stop->load(std::memory_order_relaxed)) return true;
    return std::chrono::duration<double>(Clock::now() - begin_).count() >= limits_.second_limit;
  }

  const Fault* shown(const Outcome& outcome) const {
    const auto found = std::find_if(outcome.faults.begin(), outcome.faults.end(),
                                    [&](const Fault& fault) { return same_bug(fault, target_); });
    return found != outcome.faults.end() ? &*found : nullptr;
  }

  /// Takes over the run just made, if it shows the fault and is smaller.
  bool adopt(const Outcome& outcome) {
    const Fault* fault = shown(outcome);
    if (fault == nullptr || outcome.tape.size() > best_.size()) return false;
    const Measure measure = minimizing::measure(outcome.tape);
    if (!(measure < measure_)) return false;
    keep(outcome, *fault);
    return true;
  }

  void keep(const Outcome& outcome, const Fault& fault) {
    best_ = outcome.tape;
    measure_ = minimizing::measure(best_);
    causes_.assign(runner_.history().activations());
    blame_ = slots_to_blame(fault);
  }

  bool improve(Tape tape) {
    if (tape == best_ || spent()) return false;
    trial_.tape = std::move(tape);
    ++result_.run_count;
    return adopt(runner_.run(trial_));
  }

  /// Tries sets of exactly `size` decisions on top of `base`, until one is better.
  Found improve_by_sets(const Tape& base, std::uint32_t size, std::uint64_t run_limit) {
    sets_.assign(base, size);
    do {
      if (spent() || run_limit-- == 0) return Found::cut_short;
      ++result_.run_count;
      const Outcome& outcome =
          runner_.run(*trial_.scenario, trial_.variant, trial_.config, *trial_.device, sets_);
      if (sets_.depth() == size && adopt(outcome)) return Found::better;
    } while (sets_.advance());
    return Found::nothing;
  }

  // ---- the beginning ----

  bool find_target(std::string_view signature) {
    ++result_.run_count;
    const Outcome& outcome = runner_.run(trial_);
    for (const Fault& fault : outcome.faults)
      if (fault.signature() == signature) {
        target_ = fault;
        trace_ = runner_.trace_hash();
        keep(outcome, fault);
        return result_.reproduced = true;
      }
    return false;
  }

  bool is_deterministic() {
    trial_.tape = best_;
    ++result_.run_count;
    runner_.run(trial_);
    return runner_.trace_hash() == trace_;
  }

  // ---- the causal slice ----

  /// The slots in which what the fault is about was made, ended and used, and those that made what
  /// these slots touched.
  std::set<Name> slots_to_blame(const Fault& fault) const {
    std::unordered_map<Name, const Life*> lives;
    for (const Life& life : runner_.world().ledger.lives()) lives.emplace(life.name, &life);
    std::set<Name> slots{causes_.slot_of(fault.activation)};
    const auto add_object = [&](Name name) {
      const auto life = lives.find(name);
      if (life == lives.end()) return false;
      return slots.insert(causes_.slot_of(life->second->birth_activation)).second;
    };
    for (const Name name : {fault.object, fault.recycler}) {
      add_object(name);
      if (const auto life = lives.find(name); life != lives.end() && !life->second->alive)
        slots.insert(causes_.slot_of(life->second->death_activation));
    }
    bool grew = true;
    while (std::exchange(grew, false))
      for (const Event& event : runner_.history().events())
        if (slots.contains(causes_.slot_of(event.activation))) grew |= add_object(event.object);
    return slots;
  }

  Tape slice() const {
    std::vector<Name> others;
    for (const Name slot : minimizing::op_slots(best_))
      if (!blame_.contains(slot)) others.push_back(slot);
    return minimizing::without_slots(best_, others, causes_);
  }

  // ---- cheap passes: leave things out ----

  bool improve_cheaply() {
    const bool sliced = improve(slice());
    const bool dropped = drop_tasks();
    const bool deleted = delete_ops();
    return delete_decisions() || simplify() || sliced || dropped || deleted;
  }

  bool drop_tasks() {
    bool changed = false;
    std::map<std::size_t, std::vector<Name>> tasks;
    for (const Name slot : minimizing::op_slots(best_)) tasks[words::task_of(slot)].push_back(slot);
    for (const auto& [task, slots] : tasks)
      changed |= improve(minimizing::without_slots(best_, slots, causes_));
    return changed;
  }

  /// Leaves out runs of items, from the last to the first, twice as many after each success.
  template <class Item, class Without>
  bool delete_from_the_end(const std::vector<Item>& items, Without without) {
    bool changed = false;
    std::size_t end = items.size(), count = 1;
    while (end > 0 && !spent()) {
      count = std::min(count, end);
      if (improve(without(std::vector<Item>(items.begin() + std::ptrdiff_t(end - count),
                                            items.begin() + std::ptrdiff_t(end))))) {
        changed = true;
        end -= count;
        count *= 2;
      } else if (count > 1) {
        count /= 2;
      } else {
        --end;
      }
    }
    return changed;
  }

  bool delete_ops() {
    std::vector<Name> slots;  // In the order in which they ran.
    for (const Decision& decision : best_)
      if (minimizing::is_op(decision)) slots.push_back(decision.activation);
    return delete_from_the_end(slots, [&](const std::vector<Name>& some) {
      return minimizing::without_slots(best_, some, causes_);
    });
  }

  bool delete_decisions() {
    Tape decisions;
    for (const Decision& decision : best_)
      if (!minimizing::is_op(decision)) decisions.push_back(decision);
    return delete_from_the_end(decisions, [&](const Tape& some) {
      Tape rest;
      for (const Decision& decision : best_)
        if (std::find(some.begin(), some.end(), decision) == some.end()) rest.push_back(decision);
      return rest;
    });
  }

  // ---- dear passes: look for another schedule ----

  bool improve_dearly() { return needs_fewer() || replan_slice() || replan_ops(); }

  /// The same program with fewer further decisions: all sets, smallest first.
  bool needs_fewer() {
    proved_further_ = 0;
    const Tape program = minimizing::program_of(best_);
    for (std::uint32_t size = 0; size < measure_.further_count; ++size) {
      const Found found = improve_by_sets(program, size, kFewerRunLimit);
      if (found == Found::better) return true;
      if (found == Found::cut_short) return false;
      proved_further_ = size + 1;
    }
    return false;
  }

  bool replan_slice() {
    const Tape rest = slice();
    if (rest.size() == best_.size()) return false;
    return improve_by_sets(rest, 1, kAdjustRunLimit / 2) == Found::better ||
           improve_by_sets(minimizing::program_of(rest), 1, kAdjustRunLimit / 2) == Found::better;
  }

  /// One op fewer, under a schedule that need not be the old one.
  bool replan_ops() {
    const std::vector<Name> slots = minimizing::op_slots(best_);
    const std::uint64_t share = std::max<std::uint64_t>(slots.size(), 1);
    proved_one_fewer_ = -1;
    const auto any = [&](auto try_without) {
      return std::any_of(slots.rbegin(), slots.rend(), try_without);
    };
    if (any([&](Name slot) { return improve(reanchored(without(slot), slot)); })) return true;
    if (any([&](Name slot) {
          return improve_by_sets(without(slot), 1, kAdjustRunLimit / share) == Found::better;
        }))
      return true;
    for (std::uint32_t size = 0; size <= kReplanDecisionLimit; ++size) {
      bool complete = true;
      if (any([&](Name slot) {
            const Tape program = minimizing::program_of(without(slot));
            const Found found = improve_by_sets(program, size, kReplanRunLimit / share);
            complete &= found != Found::cut_short;
            return found == Found::better;
          }))
        return true;
      if (complete && proved_one_fewer_ + 1 == static_cast<int>(size)) ++proved_one_fewer_;
    }
    return false;
  }

  Tape without(Name slot) const { return minimizing::without_slots(best_, {slot}, causes_); }

  /// Who the op without which the tape is handed over to goes first in the task's next op instead.
  Tape reanchored(Tape rest, Name slot) const {
    const std::uint16_t schedule = site_tag(Site::schedule);
    const auto handed_over =
        std::find_if(best_.rbegin(), best_.rend(), [&](const Decision& decision) {
          return decision.site_tag == schedule && causes_.slot_of(decision.activation) == slot;
        });
    const std::vector<Name> slots = minimizing::op_slots(best_);
    const auto next = std::upper_bound(slots.begin(), slots.end(), slot);
    if (handed_over != best_.rend() && next != slots.end() &&
        words::task_of(*next) == words::task_of(slot))
      rest.push_back({*next, schedule, 0, handed_over->value});
    return rest;
  }

  // ---- canonical form ----

  bool simplify() { return close_ranks() || lower_values(); }

  bool close_ranks() {
    const std::map<Name, Name> moves = minimizing::dense_slots(best_);
    if (improve(minimizing::move_slots(best_, moves, causes_))) return true;
    for (const auto& [from, to] : moves)
      if (from != to && improve(minimizing::move_slots(best_, {{from, to}}, causes_))) return true;
    return false;
  }

  bool lower_values() {
    bool changed = false;
    for (std::size_t i = 0; i < best_.size(); ++i) {
      const Decision decision = best_[i];
      const bool number =
          !words::is_thing(static_cast<Site>(site_of_tag(decision.site_tag)), decision.value);
      if (minimizing::is_op(decision) || !number) continue;
      for (const std::uint32_t value : {1u, decision.value / 2, decision.value - 1}) {
        if (value == 0 || value >= decision.value || i >= best_.size() || best_[i] != decision)
          continue;
        Tape tape = best_;
        tape[i].value = value;
        changed |= improve(std::move(tape));
      }
    }
    return changed;
  }

  // ---- the end ----

  Minimized report() {
    result_.op_count = measure_.op_count;
    result_.further_decision_count = measure_.further_count;
    result_.decision_count = measure_.further_count + measure_.argument_count;
    if (result_.reproduced) result_.the_case.tape = best_;
    result_.statement = statement();
    return result_;
  }

  std::string statement() const {
    if (!result_.reproduced) return "the case does not show this fault";
    if (!result_.deterministic) return "two replays of the case differ: the harness is at fault";
    const char* limit = result_.finished ? "" : ", and reached the limit";
    std::string text = fewer_ops_statement();
    if (measure_.further_count > 0 && proved_further_ == measure_.further_count)
      text +=
          fmt::format("no schedule with fewer than {} further decisions fails; ", proved_further_);
    return text + fmt::format("searched {} runs{}", result_.run_count, limit);
  }

  std::string fewer_ops_statement() const {
    if (!result_.finished || proved_one_fewer_ < 0) return {};
    if (proved_one_fewer_ == 0) return "no program with one op fewer fails on its plain schedule; ";
    return fmt::format("no program with one op fewer fails with at most {} further decision{}; ",
                       proved_one_fewer_, proved_one_fewer_ == 1 ? "" : "s");
  }

  Runner& runner_;
  Case trial_;
  Limits limits_;
  Clock::time_point begin_;
  Minimized result_;
  Fault target_;
  std::uint64_t trace_ = 0;
  Deviations sets_;

  Tape best_;  ///< As recorded by the best run so far.
  Measure measure_;
  Causes causes_;
  std::set<Name> blame_;
  std::size_t proved_further_ = 0;  ///< No smaller set makes the program fail.
  int proved_one_fewer_ =
      -1;  ///< Without any one op, no set of at most that many does; -1 = not known.
};

}  // namespace

Minimized minimize(Runner& runner, const Case& the_case, std::string_view signature,
                   const Limits& limits) {
  return Shrinker(runner, the_case, limits).shrink(signature);
}

}  // namespace harness
