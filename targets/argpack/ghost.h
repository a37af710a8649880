// Ghost: what the script did with what is bound, whatever the policy kept. It changes nothing; the
// judges learn from it which windows a run reached and what a kernel may have read.
#pragma once

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <vector>

#include "targets/argpack/argpack.h"

namespace targets::argpack {

/// The ghost of one wrapper: the references that the *script* has to it (variables, members,
/// frames, cycles; not what a policy adds), and the values it was given.
/// Lifetime: in the run's arena; outlives its wrapper.
struct Thing {
  std::uint32_t references = 0;
  bool gone = false;               ///< The script can reach it no more.
  bool taken_reentrantly = false;  ///< ... or its memory moved, in the middle of setting arguments.
  std::uint32_t moves = 0;         ///< How often its memory has moved.
  std::uint32_t in_flight = 0;     ///< The last launch that uses it.
  std::array<Thing*, 2> members{};  ///< What it refers to itself.
  std::pmr::vector<std::int64_t> values;
  std::size_t on_device = 0;     ///< Index of the value that was written last.
  std::uint64_t on_the_way = 0;  ///< Bit per value that is assigned and not yet written.

  /// Index of the oldest value that device memory may come to hold.
  std::size_t oldest() const {
    return std::min(on_device, static_cast<std::size_t>(std::countr_zero(on_the_way)));
  }
};

/// What a binding took hold of, as it was then.
struct Bound {
  Thing* thing = nullptr;
  std::size_t first_value = 0;
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
  std::int64_t scalar = 0;
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
  Ghost(harness::Scheduler& scheduler, Observer* observer)
      : scheduler_(scheduler), observer_(observer) {}

  Thing* make(std::int64_t value);
  /// The script has assigned a value. Returns which one, for written().
  std::size_t set(Thing& thing, std::int64_t value) {
    const Order order(this);
    thing.values.push_back(value);
    thing.on_the_way |= std::uint64_t{1} << (thing.values.size() - 1) % 64;
    return thing.values.size() - 1;
  }
  /// Device memory holds it now. Assignments may overtake each other on the way there.
  void written(Thing& thing, std::size_t which) {
    const Order order(this);
    thing.on_device = which;
    thing.on_the_way &= ~(std::uint64_t{1} << which % 64);
  }

  void refer(Thing& thing) {
    const Order order(this);
    ++thing.references;
  }
  void drop(Thing& thing) {
    const Order order(this);
    if (--thing.references == 0) lose(thing);
  }
  /// thing.member = value, which may be null.
  void attach(Thing& thing, std::size_t member, Thing* value) {
    const Order order(this);
    if (value != nullptr) refer(*value);
    Thing* old = std::exchange(thing.members[member], value);
    if (old != nullptr) drop(*old);
  }
  /// The script has lost it for good, and what only it refers to.
  void lose(Thing& thing);
  /// Its memory is somewhere else now.
  void move(Thing& thing);

  Bound bind(Thing& thing) {
    const Order order(this);
    return {&thing, thing.oldest(), thing.moves};
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
  void launched(Binding& binding);
  /// The device has finished everything submitted so far.
  void synchronized() {
    const Order order(this);
    finished_ = submitted_;
  }

  void reach(Window window) {
    if (observer_ != nullptr) observer_->reached(window);
  }
  Observer* observer() { return observer_; }

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
  std::uint64_t task_bit() const {
    return std::uint64_t{1} << (harness::raw(scheduler_.current()) % 64);
  }

  harness::Scheduler& scheduler_;
  Observer* observer_;
  std::uint32_t submitted_ = 0;
  std::uint32_t finished_ = 0;
  std::uint64_t setting_ = 0;  ///< Bit per task.
};

}  // namespace targets::argpack
