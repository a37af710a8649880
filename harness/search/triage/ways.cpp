// SPDX-License-Identifier: Apache-2.0
// How it works. A fault names one or two of its acts by site and activation; the writer of a word,
// or the holder of the other lock, by task and turn. Two acts are ordered by their origins: for
// each act, the first activation that is not an origin of both, so that an op that runs on several
// tasks waits as a whole. Either act may be the one that came too early. If both are ops of one
// task's program, similar ops, or all ops, are also put into the program's order. The same is done
// if nothing has written the word that is read, because then nothing shows which act came too
// early.
#include "harness/search/triage/ways.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "harness/core/fault/kinds.h"

namespace harness::triaging {
namespace {

constexpr std::size_t kWayLimit = 16;
constexpr auto kAny = [](Label) { return true; };

struct Act {
  Name activation = 0;
  Label site;
};

class Ways {
 public:
  Ways(const Fault& fault, const World& world)
      : fault_(fault), world_(world), ancestry_(world.history) {}

  std::vector<Way> take() && {
    switch (fault_.kind) {
      case FaultKind::data_race:
        add_work();
        break;
      case FaultKind::ghost_generation:
        add_reads();
        break;
      case FaultKind::lock_cycle:
        add_both({fault_.activation, fault_.captured_at}, writer());
        break;
      case FaultKind::deadlock:
        add_waiters();
        break;
      default:
        add_lives();
        break;
    }
    return std::move(ways_);
  }

 private:
  // ---- acts ----

  Act use() const { return {fault_.activation, fault_.use_site}; }

  /// Returns the last action, up to that turn, of the task that the fault reports.
  Act writer() const {
    const Fault::Writer& writer = fault_.writer;
    if (writer.task >= world_.scheduler.tasks().count()) return {};
    Name activation = world_.scheduler.tasks().name(static_cast<TaskId>(writer.task));
    for (const Event& event : world_.history.events()) {
      if (event.tick > writer.tick) break;
      if (event.task == writer.task) activation = event.activation;
    }
    return {activation, writer.site};
  }

  const Life* life(Name name) const {
    if (name == 0) return nullptr;
    const auto& lives = world_.ledger.lives();
    const auto found =
        std::find_if(lives.begin(), lives.end(), [&](const Life& one) { return one.name == name; });
    return found != lives.end() ? found : nullptr;
  }

  // ---- pairs of acts ----

  void add_work() {
    const Repair order{
        RepairKind::order, fault_.object_kind, {}, fault_.use_site, fault_.writer.site};
    if (order.let_go.empty() || order.used.empty() || order.let_go == order.used) return;
    add({order, {}});
    add({{order.kind, order.object, {}, order.used, order.let_go}, {}});
  }

  /// Which act comes first is determined later, from the writer for which the reader waits.
  void add_reads() {
    const Repair order{RepairKind::order, fault_.object_kind, {}, fault_.use_site, {}};
    add({order, {}, true});
    const Act other = writer();
    add_both(other, use());
    if (const std::vector<Name> line = ancestry_.line(fault_.activation);
        other.site.empty() && !line.empty())
      add_in_turn(order, ops_of(line.front(), kAny));
  }

  void add_lives() {
    const Life* ended = life(fault_.object);
    const Life* recycler = life(fault_.recycler);
    if (ended != nullptr && !ended->alive)
      add_order({ended->death_activation, ended->death_site}, use());
    if (recycler != nullptr) add_order({recycler->birth_activation, recycler->birth_site}, use());
  }

  void add_waiters() {
    std::vector<Act> waiters;
    for (const auto& task : world_.scheduler.tasks().all())
      if (task->state == scheduling::Task::State::waiting)
        waiters.push_back({task->activation->name, task->context.site});
    for (std::size_t i = 0; i < waiters.size(); ++i)
      for (std::size_t k = i + 1; k < waiters.size(); ++k) add_both(waiters[i], waiters[k]);
  }

  void add_both(const Act& one, const Act& other) {
    add_order(one, other);
    add_order(other, one);
  }

  /// Orders `late` after `early`: `late` is held up at its site, or from the beginning of the
  /// activation that contains it.
  void add_order(const Act& late, const Act& early) {
    if (late.site.empty() || early.site.empty()) return;
    const std::vector<Name> of_late = ancestry_.line(late.activation);
    const std::vector<Name> of_early = ancestry_.line(early.activation);
    const auto [mine, its] =
        std::mismatch(of_late.begin(), of_late.end(), of_early.begin(), of_early.end());
    if (mine == of_late.end() && its == of_early.end()) return;
    const Name first = mine != of_late.end() ? *mine : late.activation;
    const Name second = its != of_early.end() ? *its : early.activation;
    const Repair order{RepairKind::order, fault_.object_kind, {}, late.site, early.site};
    for (const Label at : {late.site, Label()}) add({order, {turns(first, second, at)}});
    if (!are_in_turn(first, second)) return;
    const Label kinds[] = {op_of(first), op_of(second)};
    add_in_turn(order,
                ops_of(first, [&](Label kind) { return kind == kinds[0] || kind == kinds[1]; }));
    add_in_turn(order, ops_of(first, kAny));
  }

  /// Orders each op after the previous one.
  void add_in_turn(const Repair& order, const std::vector<Name>& ops) {
    std::vector<Turns> all;
    for (std::size_t i = 1; i < ops.size(); ++i) all.push_back(turns(ops[i], ops[i - 1], {}));
    if (!all.empty()) add({order, all});
  }

  /// Other tasks may drive a whole op from time to time, so it is over when no other task is ready.
  Turns turns(Name late, Name early, Label at) {
    return {late, early, at, at.empty() ? Turns::kAllAtRest : count_tasks(early, late)};
  }

  /// Returns whether these are slots of one task's program, in this order.
  static bool are_in_turn(Name late, Name early) {
    return late >> 16 == early >> 16 && early < late && (late >> 48) == 0;
  }

  Label op_of(Name slot) const {
    for (const Event& event : world_.history.events())
      if (event.kind == EventKind::op && event.activation == slot) return event.what;
    return {};
  }

  /// Returns the slots with wanted ops in the program to which `slot` belongs, in order.
  template <class Wanted>
  std::vector<Name> ops_of(Name slot, Wanted wanted) const {
    std::vector<Name> slots;
    for (const Event& event : world_.history.events())
      if (event.kind == EventKind::op && event.activation >> 16 == slot >> 16 && wanted(event.what))
        slots.push_back(event.activation);
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return slots;
  }

  /// Returns the number of tasks with events that originate from `ancestor`, and not from `other`.
  std::uint32_t count_tasks(Name ancestor, Name other) {
    std::vector<std::uint16_t> tasks;
    for (const Event& event : world_.history.events())
      if (event.task != raw(TaskId::none) &&
          std::find(tasks.begin(), tasks.end(), event.task) == tasks.end() &&
          ancestry_.comes_from(event.activation, ancestor) &&
          (ancestry_.comes_from(ancestor, other) || !ancestry_.comes_from(event.activation, other)))
        tasks.push_back(event.task);
    return static_cast<std::uint32_t>(tasks.size());
  }

  void add(const Way& way) {
    const auto same = [&](const Way& other) {
      return other.repair == way.repair && other.turns == way.turns;
    };
    if (ways_.size() < kWayLimit && std::none_of(ways_.begin(), ways_.end(), same))
      ways_.push_back(way);
  }

  const Fault& fault_;
  const World& world_;
  Ancestry ancestry_;
  std::vector<Way> ways_;
};

}  // namespace

std::vector<Way> ways_of(const Fault& fault, const World& world) {
  return Ways(fault, world).take();
}

}  // namespace harness::triaging
