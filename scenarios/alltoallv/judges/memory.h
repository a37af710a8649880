// SPDX-License-Identifier: Apache-2.0
// Memory: which allocations of a rank something can still use, as the judges know it: from what the
// caller did. What nothing can use any more is freed by the end of the call that let go of it.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Buffer;
using targets::alltoallv::Request;

/// The births that one call of a rank's own task is the cause of.
class Births {
 public:
  explicit Births(const harness::World& world)
      : world_(world), event_(world.history.events().size()), life_(world.ledger.lives().size()) {}

  /// The last allocation of device memory since then; none if there was none.
  harness::BirthId last_allocation() const;
  /// Whether all of them have died.
  bool all_freed() const;
  /// Calls `visit(life)` for each life of that kind since then, in order.
  template <class Visit>
  void for_each(harness::Label kind, Visit visit) const;

 private:
  const harness::World& world_;
  std::size_t event_;
  std::size_t life_;
};

template <class Visit>
void Births::for_each(harness::Label kind, Visit visit) const {
  const auto& events = world_.history.events();
  const auto& lives = world_.ledger.lives();
  const auto task = harness::raw(world_.scheduler.current());
  std::size_t life = life_;
  for (std::size_t i = event_; i < events.size(); ++i) {
    if (events[i].kind != harness::EventKind::birth) continue;
    if (events[i].task == task && events[i].what == kind)
      visit(static_cast<harness::BirthId>(life));
    if (life + 1 < lives.size()) ++life;  // Every birth is an event, in the same order.
  }
}

/// If a tensor is: in an allocation, this many bytes behind its start.
struct Place {
  harness::BirthId allocation = harness::BirthId::none;
  std::uint64_t offset = 0;
};

/// Ownership: the job's. Threads: the run's.
class Memory {
 public:
  /// `bounded`: whether the variant says so.
  Memory(harness::Scene& scene, bool bounded) : scene_(scene), bounded_(bounded) {}

  // ---- what the caller did ----
  /// The next tensor of the rank that is filled, or that a request begins with, is there.
  void placed(const targets::alltoallv::Placement& placement);
  void filled(std::uint32_t rank, Buffer buffer, std::uint32_t stream);
  void begun(std::uint32_t rank, Request request, Buffer buffer);
  void cycled(std::uint32_t rank, Buffer buffer);
  /// After the call: what only the variable, or the request, held is gone.
  void dropped(std::uint32_t rank, Buffer buffer);
  void finalized(std::uint32_t rank, Request request);
  /// Nothing is outstanding, and the collector has run.
  void over(std::uint32_t rank);

  /// Returns a variable's content, by the judges' own account.
  bool is_filled(std::uint32_t rank, Buffer buffer) const { return in(rank, buffer) != nullptr; }
  /// Life of the source that the variable holds; none if it is empty.
  harness::BirthId source(std::uint32_t rank, Buffer buffer) const;
  /// Life of the source that a request was given; none if it sends nothing.
  harness::BirthId source_of(std::uint32_t rank, Request request) const {
    return place_of_source(rank, request).allocation;
  }
  Place place_of_source(std::uint32_t rank, Request request) const;
  /// Life of a request's destination; none when there is none.
  harness::BirthId destination(std::uint32_t rank, Request request) const {
    return place_of_destination(rank, request).allocation;
  }
  Place place_of_destination(std::uint32_t rank, Request request) const;
  /// Whether some rank's source of the request is filled on this stream of the user's, where
  /// nothing waits for it.
  bool is_ordered_by(std::uint32_t stream, Request request) const;
  /// Most requests that `rank` had at once.
  std::uint32_t most_requests(std::uint32_t rank) const { return most_[rank]; }

 private:
  static constexpr Request kNone = 0xff;
  struct Tensor {
    Place place;
    Buffer variable = kNone;         ///< That holds it.
    Request destination_of = kNone;  ///< The request whose destination it is.
    std::uint32_t requests = 0;      ///< That use it: bit per request.
    std::uint32_t stream = 0;        ///< Where it was filled.
    bool cycled = false;             ///< Only the collector knows when it goes.
    bool is_used() const { return variable != kNone || requests != 0 || cycled; }
  };

  const Tensor* in(std::uint32_t rank, Buffer buffer) const;
  Tensor* in(std::uint32_t rank, Buffer buffer) {
    return const_cast<Tensor*>(std::as_const(*this).in(rank, buffer));
  }
  bool is_used(harness::BirthId allocation, std::uint32_t rank) const;
  /// Forgets what nothing uses, and reports what is alive nevertheless.
  void sweep(std::uint32_t rank, const char* why);

  harness::Scene& scene_;
  bool bounded_;
  std::array<std::pmr::vector<Tensor>, targets::alltoallv::kRankLimit> tensors_;
  std::array<Place, targets::alltoallv::kRankLimit> placed_{};  ///< The last, by rank.
  std::array<std::uint32_t, targets::alltoallv::kRankLimit> requests_{};
  std::array<std::uint32_t, targets::alltoallv::kRankLimit> most_{};
};

}  // namespace scenarios::alltoallv
