// SPDX-License-Identifier: Apache-2.0
// How it works. Passes propose candidates. Cheap ones (leave things out) run until none helps. Then
// the expensive ones run (look for fewer further choices; leave an op out and look for another
// schedule), and after any success the cheap ones again. The end is a fixpoint of all of them:
// minimizing again would propose the same candidates without success.
#include "harness/search/minimize/minimize.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/search/minimize/best.h"
#include "harness/search/reproducer/words.h"

namespace harness {
namespace {

using minimizing::Found;

// Bounds on searches for another schedule: the runs of a whole pass, shared among its ops. They
// depend only on the tape, so that a second minimization searches no further than the first.
constexpr std::uint64_t kAdjustRunLimit = 150;  ///< One choice added to all remaining ones.
/// Sets of 0, 1 and 2 choices added to the program, or to the program without an op.
constexpr std::uint64_t kPlanRunLimits[] = {50, 220, 160};
constexpr std::uint32_t kPlanDecisionLimit = 2;
constexpr std::uint64_t kOwnRunLimit = 120;     ///< A few of the existing choices.
constexpr std::uint64_t kSampleRunLimit = 400;  ///< An op left out, and all other choices drawn
                                                ///< again.
constexpr std::uint64_t kKnownRunLimit =
    150;  ///< The program of a known case, under other schedules.
constexpr std::uint64_t kSampleShrinkLimit = 120;  ///< To make a failing sample small enough.

/// How hard to try. A sample that fails is only made simpler.
enum class Effort : std::uint8_t { cheap, plainer, full };

class Shrinker {
 public:
  Shrinker(Runner& runner, const Case& the_case, const Limits& limits, Effort effort)
      : runner_(runner), effort_(effort), best_(runner, the_case, limits) {
    result_.the_case = the_case;
  }

  Minimized shrink(const minimizing::Aim& aim, const std::vector<Tape>& known = {}) {
    known_ = &known;
    result_.reproduced = best_.aim(aim);
    aim_ = {aim.signature, best_.window()};
    result_.deterministic = result_.reproduced && replays();
    if (result_.deterministic) {
      while (run_cheap_passes() || run_expensive_passes()) continue;
      result_.finished = effort_ != Effort::cheap && !best_.spent();
      result_.deterministic = replays();
    }
    return report();
  }

 private:
  /// Returns whether the case replays. A sample is replayed by the minimizer that drew it.
  bool replays() { return effort_ == Effort::plainer || best_.is_deterministic(); }

  const Tape& tape() const { return best_.tape(); }
  std::vector<Name> slots() const { return minimizing::op_slots(tape()); }
  std::size_t further_count() const { return best_.measure().further_count; }

  // ---- cheap passes: leave things out ----

  bool run_cheap_passes() {
    const bool plain = best_.improve(minimizing::program_of(tape()));
    const bool sliced = best_.improve(slice());
    const bool dropped = drop_tasks();
    const bool deleted = delete_ops();
    return delete_decisions() || simplify() || plain || sliced || dropped || deleted;
  }

  Tape slice() const {
    std::vector<Name> others = slots();
    std::erase_if(others, [&](Name slot) { return best_.causal_slice().contains(slot); });
    return best_.without(others);
  }

  bool drop_tasks() {
    bool changed = false;
    std::map<std::size_t, std::vector<Name>> tasks;
    for (const Name slot : slots()) tasks[words::task_of(slot)].push_back(slot);
    for (const auto& [task, its_slots] : tasks) changed |= best_.improve(best_.without(its_slots));
    return changed;
  }

  /// Leaves out ranges of items, from the last to the first, twice as many after each success.
  template <class Item, class Without>
  bool delete_from_the_end(const std::vector<Item>& items, Without without) {
    bool changed = false;
    std::size_t end = items.size(), count = 1;
    while (end > 0 && !best_.spent()) {
      count = std::min(count, end);
      const auto last = items.begin() + static_cast<std::ptrdiff_t>(end);
      if (best_.improve(
              without(std::vector<Item>(last - static_cast<std::ptrdiff_t>(count), last)))) {
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
    std::vector<Name> in_order;  // In the order in which they ran.
    for (const Decision& decision : tape())
      if (minimizing::is_op(decision)) in_order.push_back(decision.activation);
    return delete_from_the_end(in_order,
                               [&](const std::vector<Name>& some) { return best_.without(some); });
  }

  Tape without_decisions(const Tape& some) const {
    Tape rest = tape();
    std::erase_if(rest, [&](const Decision& decision) {
      return std::find(some.begin(), some.end(), decision) != some.end();
    });
    return rest;
  }

  bool delete_decisions() {
    Tape decisions = tape();
    std::erase_if(decisions, minimizing::is_op);
    return delete_from_the_end(decisions,
                               [&](const Tape& some) { return without_decisions(some); });
  }

  // ---- canonical form ----

  bool simplify() {
    const bool closed = close_ranks();
    return lower_values() || closed;
  }

  bool close_ranks() {
    const std::map<Name, Name> moves = minimizing::dense_slots(tape());
    if (best_.improve(best_.with_moved(moves))) return true;
    return std::any_of(moves.begin(), moves.end(), [&](const auto& move) {
      return move.first != move.second && best_.improve(best_.with_moved({move}));
    });
  }

  bool lower_values() {
    bool changed = false;
    for (std::size_t i = 0; i < tape().size(); ++i)
      for (const std::uint32_t value : plainer_values(tape()[i])) {
        Tape lower = tape();
        lower[i].value = value;
        if (!best_.improve(lower)) continue;
        changed = true;
        break;
      }
    return changed;
  }

  static std::vector<std::uint32_t> plainer_values(const Decision& decision) {
    const auto site = static_cast<Site>(site_of_tag(decision.site_tag));
    if (site == Site::op || words::is_thing(site, decision.value)) return {};
    std::vector<std::uint32_t> values{1, decision.value / 2, decision.value - 1};
    std::erase_if(values,
                  [&](std::uint32_t value) { return value == 0 || value >= decision.value; });
    return values;
  }

  // ---- expensive passes: look for another schedule ----

  /// Leaves out choices that only go together, such as leaving a task and coming back: halves of
  /// the further choices, quarters, down to pairs.
  bool delete_together() {
    bool changed = false;
    for (std::size_t count = further_count() / 2; count >= 2;
         count = std::min(count - 1, (count + 1) / 2)) {
      Tape further = tape();
      std::erase_if(further, minimizing::is_program);
      const std::size_t stride = std::max<std::size_t>(count / 2, 1);
      for (std::size_t end = further.size(); end >= count; end -= std::min(stride, end)) {
        const auto last = further.begin() + static_cast<std::ptrdiff_t>(end);
        changed |=
            best_.improve(without_decisions(Tape(last - static_cast<std::ptrdiff_t>(count), last)));
      }
    }
    return changed;
  }

  bool run_expensive_passes() {
    if (effort_ == Effort::cheap) return false;
    if (effort_ == Effort::plainer) return delete_together();
    return follow_known() || few_of_its_own() || delete_together() || fewer_of_any() ||
           replan_slice() || replan_ops() || resample_ops();
  }

  /// Keeps only one or two of the further choices, which is often enough.
  bool few_of_its_own() {
    Tape further = tape();
    std::erase_if(further, minimizing::is_program);
    const Tape program = minimizing::program_of(tape());
    const std::size_t count = further.size();
    std::uint64_t runs_left = kOwnRunLimit;
    const auto will_do = [&](std::initializer_list<Decision> some) {
      Tape candidate = program;
      candidate.insert(candidate.end(), some);
      return runs_left > 0 && runs_left-- > 0 && best_.improve(candidate);
    };
    for (std::size_t i = count; count > 1 && i-- > 0;)
      if (will_do({further[i]})) return true;
    for (std::size_t i = count; count > 2 && i-- > 0;)
      for (std::size_t j = i; j-- > 0;)
        if (will_do({further[j], further[i]})) return true;
    return false;
  }

  /// Looks for the same program with fewer further choices of any kind.
  bool fewer_of_any() {
    proved_further_ = 0;
    const Tape program = minimizing::program_of(tape());
    for (std::uint32_t size = 0; size < further_count(); ++size) {
      const Found found = best_.improve_by_sets(program, size, kPlanRunLimits[size]);
      if (found == Found::better) return true;
      if (found == Found::nothing && proved_further_ == size) ++proved_further_;
      if (size == kPlanDecisionLimit) break;
    }
    return false;
  }

  bool replan_slice() {
    const Tape rest = slice();
    if (rest.size() == tape().size()) return false;
    const Tape program = minimizing::program_of(rest);
    return best_.improve_by_sets(rest, 1, kAdjustRunLimit / 2) == Found::better ||
           best_.improve_by_sets(program, 1, kAdjustRunLimit / 2) == Found::better;
  }

  /// Leaves out one op, possibly under another schedule.
  bool replan_ops() {
    const std::vector<Name> all = slots();
    const std::uint64_t share = std::max<std::uint64_t>(all.size(), 1);
    proved_one_fewer_ = -1;
    const auto any = [&](auto leave_out) {
      return std::any_of(all.rbegin(), all.rend(), leave_out);
    };
    if (any([&](Name slot) { return best_.improve(reanchored(best_.without({slot}), slot)); }))
      return true;
    if (any([&](Name slot) { return adjust(best_.without({slot}), kAdjustRunLimit / share); }))
      return true;
    for (std::uint32_t size = 0; size <= kPlanDecisionLimit; ++size) {
      bool complete = true;
      if (any([&](Name slot) {
            const Tape program = minimizing::program_of(best_.without({slot}));
            const Found found =
                best_.improve_by_sets(program, size, 1 + kPlanRunLimits[size] / share);
            complete &= found != Found::cut_short;
            return found == Found::better;
          }))
        return true;
      if (complete && proved_one_fewer_ + 1 == static_cast<int>(size)) ++proved_one_fewer_;
    }
    return false;
  }

  /// Leaves out one op, draws all other choices at random, and simplifies the result. For faults
  /// that need more choices than small sets contain.
  bool resample_ops() {
    const std::vector<Name> all = slots();
    const std::uint64_t share = kSampleRunLimit / std::max<std::uint64_t>(all.size(), 1);
    return std::any_of(all.rbegin(), all.rend(), [&](Name slot) {
      return resample(minimizing::program_of(best_.without({slot})), share);
    });
  }

  bool resample(const Tape& program, std::uint64_t sample_count) {
    for (std::uint64_t seed = 0; seed < sample_count; ++seed) {
      const Case* found = best_.sample(program, seed);
      if (found == nullptr) continue;
      const Minimized plainer =
          Shrinker(runner_, *found, best_.limits_left(kSampleShrinkLimit), Effort::plainer)
              .shrink(aim_);
      if (best_.improve(plainer)) return true;
    }
    return false;
  }

  /// Tries programs that showed the fault elsewhere, unchanged or under another schedule.
  bool follow_known() {
    const auto any_smaller = [&](auto follow) {
      return std::any_of(known_->begin(), known_->end(), [&](const Tape& tape) {
        return minimizing::measure(tape).op_count < best_.measure().op_count && follow(tape);
      });
    };
    return any_smaller([&](const Tape& tape) { return best_.improve(tape); }) ||
           any_smaller([&](const Tape& tape) { return follow(tape); });
  }

  bool follow(const Tape& tape) {
    const Tape program = minimizing::program_of(tape);
    return best_.improve_by_sets(tape, 1, kKnownRunLimit / 2) == Found::better ||
           best_.improve_by_sets(program, 1, kKnownRunLimit / 2) == Found::better ||
           resample(program, kKnownRunLimit);
  }

  bool adjust(const Tape& rest, std::uint64_t run_limit) {
    return best_.improve_by_sets(rest, 1, run_limit) == Found::better;
  }

  /// Moves the switch that interrupted the removed op into the task's next op.
  Tape reanchored(Tape rest, Name slot) const {
    const std::uint16_t schedule = site_tag(Site::schedule);
    const auto switched =
        std::find_if(tape().rbegin(), tape().rend(), [&](const Decision& decision) {
          return decision.site_tag == schedule && best_.slot_of(decision.activation) == slot;
        });
    const std::vector<Name> all = slots();
    const auto next = std::upper_bound(all.begin(), all.end(), slot);
    if (switched != tape().rend() && next != all.end() &&
        words::task_of(*next) == words::task_of(slot))
      rest.push_back({*next, schedule, 0, switched->value});
    return rest;
  }

  // ---- the end ----

  Minimized report() {
    result_.op_count = best_.measure().op_count;
    result_.further_decision_count = further_count();
    result_.decision_count = further_count() + best_.measure().argument_count;
    result_.run_count = best_.run_count();
    result_.endless_count = best_.endless_count();
    if (result_.reproduced) result_.the_case.tape = tape();
    result_.statement = statement();
    return result_;
  }

  std::string statement() const {
    if (!result_.reproduced) return "the case does not show this fault";
    if (!result_.deterministic)
      return "two replays of the case differ, which is a bug of the harness";
    std::string text = fewer_ops_statement();
    if (result_.finished && proved_further_ > 0 && proved_further_ == further_count())
      text += fmt::format("no schedule with fewer than {} further choice{} fails; ",
                          proved_further_, proved_further_ == 1 ? "" : "s");
    return text + fmt::format("searched {} runs{}", result_.run_count, how_it_ended());
  }

  const char* how_it_ended() const {
    if (result_.finished) return "";
    return effort_ == Effort::cheap ? ", and no other schedule" : ", and reached the limit";
  }

  std::string fewer_ops_statement() const {
    if (!result_.finished || proved_one_fewer_ < 0) return {};
    if (proved_one_fewer_ == 0)
      return "no program with one operation fewer fails on its default schedule;  ";
    return fmt::format(
        "no program with one operation fewer fails with at most {} further choice{};  ",
        proved_one_fewer_, proved_one_fewer_ == 1 ? "" : "s");
  }

  Runner& runner_;
  Effort effort_;
  minimizing::Aim aim_;
  const std::vector<Tape>* known_ = nullptr;
  minimizing::Best best_;
  Minimized result_;
  std::size_t proved_further_ = 0;  ///< No smaller set makes the program fail.
  /// No set of at most this size makes the program without any one op fail; -1 = unknown.
  int proved_one_fewer_ = -1;
};

}  // namespace

Minimized minimize(Runner& runner, const Case& the_case, std::string_view signature,
                   const Limits& limits, const std::vector<Tape>& known,
                   std::optional<int> window) {
  const Effort effort = limits.thorough ? Effort::full : Effort::cheap;
  return Shrinker(runner, the_case, limits, effort).shrink({signature, window}, known);
}

}  // namespace harness
