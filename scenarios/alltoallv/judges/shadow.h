// SPDX-License-Identifier: Apache-2.0
// Shadow: the state of the protocol, independent of the policy: the users of each slot and the
// waiting requests. From the facts it derives which windows a run reached.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "scenarios/alltoallv/judges/slots.h"
#include "scenarios/alltoallv/windows.h"

namespace scenarios::alltoallv {

/// Ownership: owned by the job; borrows the scene and the slots. Threads: the run's.
class Shadow {
 public:
  Shadow(harness::Scene& scene, const Slots& slots) : scene_(scene), slots_(slots) {}

  void reach(Window window) { scene_.reach(harness::raw(window)); }
  /// From now on ranks may disagree about the meaning of shared words: later faults may be
  /// consequences of this window.
  void disorder(Window window);
  bool reached(Window window) const {
    return (scene_.observed().reached >> harness::raw(window) & 1) != 0;
  }
  /// Returns the window of which everything at `tick` may be a consequence, or -1.
  int disorder_before(harness::Tick tick) const { return disordered_at_ < tick ? disorder_ : -1; }

  // ---- collectives ----
  void init_failed(const targets::alltoallv::FailedInit& failed);
  void posting_again(const targets::alltoallv::Reposting& posting);
  void posted(const targets::alltoallv::Posting& posting);
  void entered(const targets::alltoallv::Entering& entering);
  void failed(const targets::alltoallv::Failure& failure) {
    reach(Window::failed_after_claim);
    if (failure.in_triggered_set_up) reach(Window::setup_ignored);
  }
  void went_on() { disorder(Window::setup_ignored); }
  void gave_up() { disorder(Window::failed_after_claim); }
  /// A rank no longer waits for a slot.
  void waits_no_more(std::uint32_t rank, Request request);

  // ---- who uses a slot, from publishing in it to the end of the collective ----
  void found_free(Request request);
  void claimed(const targets::alltoallv::Taking& taking);
  void publishing(const targets::alltoallv::Publishing& publishing, bool as_proxy);
  /// The rank has finished the collective, and so its use of the slot.
  void ended(std::uint32_t rank, Request request);

  // ---- batches ----
  /// `one_call`: the policy uses a single call nevertheless.
  void batching_by_proxy(bool one_call) {
    reach(Window::pair_ignored);
    if (one_call) disorder(Window::pair_ignored);
  }
  /// The value that is being read back is wrong, and was copied before its stream had written it.
  void read_ahead() { read_ahead_.push_back(scene_.world().scheduler.now()); }
  /// Returns whether that is the cause of a wrong value at `tick`.
  bool was_read_ahead(harness::Tick tick) const {
    return std::find(read_ahead_.begin(), read_ahead_.end(), tick) != read_ahead_.end();
  }

  // ---- rings ----
  /// `at_once`: the rank does not wait for the readers.
  void overwriting(bool at_once) {
    reach(Window::half_overwritten);
    if (at_once) disorder(Window::half_overwritten);
  }

  // ---- teams ----
  /// `others_map`: peers have its scratch mapped, whether or not the policy waits for them.
  void leaving(bool others_map) {
    if (others_map) reach(Window::scratch_freed);
  }

  // ---- mappings ----
  /// `is_used`: the collective or team that mapped it has not ended on its rank, whether or not the
  /// policy has unmapped it.
  void evicting(const targets::alltoallv::Eviction& eviction, bool is_used);
  void open_failed() { reach(Window::open_failed); }

 private:
  struct User {
    harness::Generation use = harness::Generation::none;
    bool as_proxy = false;
  };
  struct Waiter {
    bool waits = false;
    std::uint32_t slot = 0;
    std::uint32_t number = 0;
    std::uint32_t place = 0;  ///< Number of earlier posts.
  };
  template <class T, std::size_t kCount>
  using ByRank = std::array<std::array<T, targets::alltoallv::kRankLimit>, kCount>;

  /// Returns whether another rank has not finished an earlier use of the slot.
  bool others_in(std::uint32_t slot, std::uint32_t rank, harness::Generation use,
                 bool as_proxy) const;
  /// Returns whether an earlier post of rank 0 waits for the same slot.
  bool overtakes(Request request) const;

  harness::Scene& scene_;
  const Slots& slots_;
  int disorder_ = -1;
  harness::Tick disordered_at_ = 0;
  std::pmr::vector<harness::Tick> read_ahead_;
  ByRank<User, targets::alltoallv::kSlotIds> users_{};
  std::array<Waiter, targets::alltoallv::kRequestLimit> waiters_{};  ///< Rank 0 only, by request.
  std::uint32_t post_count_ = 0;                                     ///< Rank 0 only.
};

}  // namespace scenarios::alltoallv
