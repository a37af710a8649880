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
  void disorder(Window window) {
    reach(window);
    if (observer_ == nullptr) return;
    const Order order(this);
    observer_->disordered(window);
  }
  void copied() {
    if (observer_ == nullptr) return;
    const Order order(this);
    observer_->copied();
  }
  Observer* observer() const { return observer_; }

  // ---- who uses a slot, from publishing in it to having unmapped ----
  void publishing(std::uint32_t slot, std::uint32_t rank, harness::Generation use, bool proxied) {
    const Order order(this);
    if (others_in(slot, rank, use, false)) reach(Window::w1_source_reread);
    if (others_in(slot, rank, use, true)) reach(Window::w2_proxy_reread);
    users_[slot][rank] = {use, proxied};
  }
  void unmapped(std::uint32_t slot, std::uint32_t rank) {
    const Order order(this);
    users_[slot][rank] = {};
  }
  /// Rank 0 gives the slot to the next collective.
  void claiming(std::uint32_t slot, harness::Generation use) {
    const Order order(this);
    if (others_in(slot, 0, use, false)) reach(Window::w3_slot_released);
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

  struct User {
    harness::Generation use = harness::Generation::none;
    bool as_proxy = false;
  };
  /// Whether another rank is not done with an earlier use of the slot.
  bool others_in(std::uint32_t slot, std::uint32_t rank, harness::Generation use,
                 bool as_proxy) const {
    for (std::uint32_t other = 0; other < kRankLimit; ++other) {
      const User& user = users_[slot][other];
      const bool earlier = user.use != harness::Generation::none && user.use != use;
      if (other != rank && earlier && (user.as_proxy || !as_proxy)) return true;
    }
    return false;
  }
  void report(harness::Fault fault) { ledger_.scheduler().history().add(std::move(fault)); }

  harness::Ledger& ledger_;
  Observer* observer_;
  std::array<std::array<User, kRankLimit>, kSlotLimit> users_{};
};

}  // namespace targets::alltoallv
