// Ghost: what the script did with what is bound, whatever the policy kept. It changes nothing; the
// observer hears of it, and of the windows that a run reaches.
#pragma once

#include <utility>

#include "targets/argpack/argpack.h"

namespace targets::argpack {

/// The ghost of one wrapper or launch context: the references that the *script* has to it
/// (variables, members, frames, cycles; not what a policy adds).
/// Lifetime: in the run's arena; outlives its wrapper.
struct Thing {
  ThingId id = ThingId::none;
  std::uint32_t references = 0;
  bool gone = false;               ///< The script can reach it no more.
  bool taken_reentrantly = false;  ///< ... or its memory moved, in the middle of setting arguments.
  std::uint32_t moves = 0;         ///< How often its memory has moved.
  std::uint32_t in_flight = 0;     ///< The last launch that uses it.
  std::array<Thing*, 2> members{};  ///< What it refers to itself.
};

inline ThingId id_of(const Thing* thing) { return thing != nullptr ? thing->id : ThingId::none; }

/// What a binding took hold of, as it was then.
struct Bound {
  Thing* thing = nullptr;
  std::uint32_t moves = 0;

  bool lost() const { return thing != nullptr && (thing->gone || thing->moves != moves); }
};

/// The ghost of a launch context.
struct Binding {
  std::array<Bound, kDepthLimit> packs;
  std::uint32_t depth = 0;
  Bound array;
  Bound gradient;
  Bound external;
  std::uint32_t generation = 0;  ///< Of the program at the first binding.
  bool launched = false;

  template <class Visit>
  void each(Visit visit) const {
    for (std::uint32_t level = 0; level < depth; ++level) visit(packs[level]);
    for (const Bound* bound : {&array, &gradient, &external})
      if (bound->thing != nullptr) visit(*bound);
  }
};

/// Threads: its methods are ordered among themselves, as CPython's locks per object order Python
/// code where there is no GIL. TSan hears of that order.
class Ghost {
 public:
  Ghost(harness::Scheduler& scheduler, Observer& observer)
      : scheduler_(scheduler), observer_(observer) {}

  Thing* make(Kind kind, std::int64_t value, std::uint32_t depth = 0, std::uint32_t generation = 0);
  void refer(Thing& thing) {
    const Order order(this);
    ++thing.references;
    observer_.referred(thing.id);
  }
  void drop(Thing& thing) {
    const Order order(this);
    observer_.dropped(thing.id);
    if (--thing.references == 0) lose(thing);
  }
  /// thing.member = value, which may be null.
  void attach(Thing& thing, std::size_t member, Thing* value) {
    const Order order(this);
    if (value != nullptr) ++value->references;
    observer_.attached(thing.id, member, id_of(value));
    detach(std::exchange(thing.members[member], value));
  }
  /// The script has lost it for good, and what only it refers to.
  void lose(Thing& thing);
  /// Nobody has it any more.
  void end(Thing& thing) {
    lose(thing);
    const Order order(this);
    observer_.ended(thing.id);
  }
  /// Its memory is somewhere else now.
  void move(Thing& thing);

  Bound bind(Thing& thing) {
    const Order order(this);
    return {&thing, thing.moves};
  }

  /// The current task is between its first binding and its launch, or no longer.
  void setting(bool on) {
    const Order order(this);
    setting_ = on ? setting_ | task_bit() : setting_ & ~task_bit();
  }
  bool is_setting() const { return (setting_ & task_bit()) != 0; }
  /// True when a kernel that uses it may be running.
  bool in_flight(const Thing& thing) {
    const Order order(this);
    return thing.in_flight > finished_;
  }

  /// launch_kernel() begins under this program, whether or not it is going to be refused.
  void launching(const Binding& binding, std::uint32_t generation);
  /// The kernel was submitted.
  void launched(const Thing& context, Binding& binding);
  /// The device has finished everything submitted so far.
  void synchronized() {
    const Order order(this);
    finished_ = submitted_;
    observer_.finished();
  }

  void reach(Window window) { observer_.reached(window); }
  /// Tells the observer, in order with what other tasks tell it.
  template <class Tell>
  void tell(Tell tell) {
    const Order order(this);
    tell(observer_);
  }

  /// What this task did before is ordered before what others do after their next order().
  void order() { const Order order(this); }

 private:
  class Order {
   public:
    explicit Order(Ghost* ghost) : ghost_(ghost) { harness::edge_acquire(ghost_); }
    ~Order() { harness::edge_release(ghost_); }
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;

   private:
    Ghost* ghost_;
  };

  void taken(Thing& thing);
  void detach(Thing* member) {
    if (member != nullptr && --member->references == 0) lose(*member);
  }
  std::uint64_t task_bit() const {
    return std::uint64_t{1} << (harness::raw(scheduler_.current()) % 64);
  }

  harness::Scheduler& scheduler_;
  Observer& observer_;
  std::uint32_t thing_count_ = 0;
  std::uint32_t submitted_ = 0;
  std::uint32_t finished_ = 0;
  std::uint64_t setting_ = 0;  ///< Bit per task.
};

}  // namespace targets::argpack
