// SPDX-License-Identifier: Apache-2.0
// Reach: notes the windows that a run reaches, whatever the policy, and finds the window of a
// fault.
//
// If an error or a mix-up of collectives came first, all later faults belong to its window, because
// ranks disagree about shared words. If not, the sites decide: how a mapping was closed that was
// later unmapped, or which code unmapped it. A fault without such evidence, like a wrong value,
// belongs to the window of the first fault that has some.
#pragma once

#include "scenarios/alltoallv/model/state.h"

namespace scenarios::alltoallv {

/// Gets each fact before the state changes. Ownership: borrows the scene and the state. Threads:
/// the run's.
class Reach final : public targets::alltoallv::Observer {
 public:
  Reach(harness::Scene& scene, const State& state) : scene_(scene), state_(state) {}

  bool reached(Window window) const {
    return (scene_.observed().reached >> harness::raw(window) & 1) != 0;
  }
  /// From now on ranks may disagree about the meaning of shared words: later faults may be
  /// consequences of this window.
  void disorder(Window window);
  /// The value that is being read back is wrong.
  void value_is_wrong(std::uint32_t rank, Request request);
  /// Returns the index of the window that a fault belongs to, or -1.
  int window_of(const harness::Fault& fault);

 private:
  // ---- facts ----
  void copied() override { scene_.exercised(); }
  void read(const targets::alltoallv::Reading&) override {}
  void init_failed(const targets::alltoallv::FailedInit& failed) override;
  void posting_again(const targets::alltoallv::Reposting& posting) override {
    if (posting.state == posting.number) reach(Window::number_reused);
  }
  void found_free(Request request) override {
    if (overtakes(request)) reach(Window::claim_race);
  }
  void claimed(const targets::alltoallv::Taking& taking) override;
  void entered(const targets::alltoallv::Entering& entering) override;
  void publishing(const targets::alltoallv::Publishing& publishing) override;
  void batching(const targets::alltoallv::Batching& batching) override;
  void overwriting(const targets::alltoallv::Overwriting& overwriting) override {
    reach(Window::half_overwritten);
    if (overwriting.at_once) disorder(Window::half_overwritten);
  }
  void failed(const targets::alltoallv::Failure& failure) override {
    reach(Window::failed_after_claim);
    if (failure.in_triggered_set_up) reach(Window::setup_ignored);
  }
  void went_on(std::uint32_t, Request) override { disorder(Window::setup_ignored); }
  void gave_up(std::uint32_t, Request) override { disorder(Window::failed_after_claim); }
  void leaving(const targets::alltoallv::Leaving& leaving) override;
  void open_failed(std::uint32_t, std::uint32_t) override { reach(Window::open_failed); }
  void evicting(const targets::alltoallv::Eviction& eviction) override;

  void reach(Window window) { scene_.reach(harness::raw(window)); }
  /// Returns whether another rank has not finished an earlier use of the slot.
  bool others_in(std::uint32_t slot, std::uint32_t rank, harness::Generation use,
                 bool as_proxy) const;
  /// Returns whether an earlier post of rank 0 waits for the same slot.
  bool overtakes(Request request) const;
  /// Returns whether a rank's source of the request is filled on this user stream, without a
  /// synchronization.
  bool is_filled_on(std::uint32_t stream, Request request) const;

  std::optional<Window> own_window(const harness::Fault& fault) const;
  std::optional<Window> window_of_eviction(const harness::Fault& fault) const;
  int first_window_before(const harness::Fault& fault);

  harness::Scene& scene_;
  const State& state_;
  int disorder_ = -1;
  harness::Tick disordered_at_ = 0;
  /// When a wrong value was read that was copied before its stream had written it.
  std::pmr::vector<harness::Tick> read_ahead_;
  // The search for the first fault with a window is incremental, because a broken run may have very
  // many faults.
  std::size_t seen_count_ = 0;  ///< Number of faults examined; the last one has first_window_.
  int first_window_ = -1;
};

}  // namespace scenarios::alltoallv
