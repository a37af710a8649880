// Ghost: what the protocol means, whatever the policy does. It changes nothing; the observer learns
// from it which windows a run reached, and what else happens.
#pragma once

#include "targets/alltoallv/alltoallv.h"

namespace targets::alltoallv {

/// Threads: ordered among themselves, which TSan hears of: they are no part of the program.
class Ghost {
 public:
  Ghost(harness::Ledger& ledger, Observer* observer) : ledger_(ledger), observer_(observer) {}

  void reach(Window window) {
    tell([&](Observer& observer) { observer.reached(window); });
  }
  void disorder(Window window) {
    tell([&](Observer& observer) {
      observer.reached(window);
      observer.disordered(window);
    });
  }
  /// Calls `tell(observer)` where there is one.
  template <class Tell>
  void tell(Tell tell) {
    if (observer_ == nullptr) return;
    const Order order(this);
    tell(*observer_);
  }

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

  /// The reported crash: what is not in the cache is a null pointer, which is followed. `meant` is
  /// the mapping that should have been there.
  [[noreturn]] void followed_null(harness::BirthId meant);

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

  harness::Ledger& ledger_;
  Observer* observer_;
  std::array<std::array<User, kRankLimit>, kSlotLimit> users_{};
};

}  // namespace targets::alltoallv
