// Ghost: what the protocol means, whatever the policy does. It changes nothing; the judges learn
// from it which windows a run reached, and which mapping was let go of in place of which.
#pragma once

#include "targets/alltoallv/alltoallv.h"

namespace targets::alltoallv {

/// A use of a mapping by one task: what map() gave it.
struct Hold {
  harness::BirthId region = harness::BirthId::none;
  bool held = false;
};

/// Threads: ordered among themselves, which TSan hears of: they are no part of the program.
class Ghost {
 public:
  Ghost(harness::Ledger& ledger, Observer* observer) : ledger_(ledger), observer_(observer) {}

  void reach(Window window) {
    if (observer_ == nullptr) return;
    const Order order(this);
    observer_->reached(window);
  }
  void copied() {
    if (observer_ == nullptr) return;
    const Order order(this);
    observer_->copied();
  }
  Observer* observer() const { return observer_; }

  // ---- who is letting go of what it mapped through a slot ----
  void unmapping(std::uint32_t slot, std::uint32_t rank, bool as_proxy, bool on) {
    const Order order(this);
    set(unmapping_[slot], rank, on);
    set(unmapping_as_proxy_[slot], rank, on && as_proxy);
  }
  /// `rank` writes what it publishes in the slot.
  void publishing(std::uint32_t slot, std::uint32_t rank) {
    const Order order(this);
    if (without(unmapping_[slot], rank) != 0) reach(Window::w1_source_reread);
    if (without(unmapping_as_proxy_[slot], rank) != 0) reach(Window::w2_proxy_reread);
  }
  /// Rank 0 gives the slot to the next collective.
  void claiming(std::uint32_t slot) {
    const Order order(this);
    if (without(unmapping_[slot], 0) != 0) reach(Window::w3_slot_released);
  }

  // ---- what was let go of (L1, L2, L3) ----
  /// A task that held `hold` counted down `met`, which had `count` references.
  void let_go(Hold& hold, harness::BirthId met, std::uint64_t count);
  /// A task is over: whatever it still holds nobody will ever let go of.
  void ended(const Hold& hold);
  /// A mapping is closed of which `count` uses go on (L5).
  void closed_while_held(harness::BirthId region, std::uint64_t count);
  /// The reported crash: what is not in the cache is a null pointer, which is followed.
  [[noreturn]] void followed_null(const Hold& hold);

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

  static void set(std::uint32_t& ranks, std::uint32_t rank, bool on) {
    ranks = on ? ranks | 1U << rank : ranks & ~(1U << rank);
  }
  static std::uint32_t without(std::uint32_t ranks, std::uint32_t rank) {
    return ranks & ~(1U << rank);
  }
  void report(harness::Fault fault) { ledger_.scheduler().history().add(std::move(fault)); }

  harness::Ledger& ledger_;
  Observer* observer_;
  std::array<std::uint32_t, kSlotLimit> unmapping_{};  ///< By slot, a bit per rank.
  std::array<std::uint32_t, kSlotLimit> unmapping_as_proxy_{};
};

}  // namespace targets::alltoallv
