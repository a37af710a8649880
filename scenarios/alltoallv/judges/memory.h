// SPDX-License-Identifier: Apache-2.0
// Memory: the allocations of a rank that are still in use, by the judges' own account of the
// caller's actions. An unused one must be freed by the end of the call that released it.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Buffer;
using targets::alltoallv::Request;

/// Births caused by one call of a rank's own task.
class Births {
 public:
  explicit Births(const harness::World& world)
      : world_(world), event_(world.history.events().size()), life_(world.ledger.lives().size()) {}

  /// Returns the last allocation of device memory since then, or none.
  harness::BirthId last_allocation() const;
  /// Returns whether all of them have died.
  bool all_freed() const;
  /// Calls `visit(life)` for each birth of that kind since then, in order.
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
    if (life + 1 < lives.size()) ++life;  // Births are events, in the order of their ids.
  }
}

/// Place of a tensor: an allocation, and an offset in bytes.
struct Place {
  harness::BirthId allocation = harness::BirthId::none;
  std::uint64_t offset = 0;
};

/// Ownership: owned by the job. Threads: the run's.
class Memory {
 public:
  /// `bounded`: whether the variant claims to be bounded.
  Memory(harness::Scene& scene, bool bounded) : scene_(scene), bounded_(bounded) {}

  // ---- what the caller did ----
  /// Memory for the next tensor is allocated: a source to fill, or the destination of a request.
  void placed(const targets::alltoallv::Placement& placement);
  void filled(std::uint32_t rank, Buffer buffer, std::uint32_t stream);
  void begun(std::uint32_t rank, Request request, Buffer buffer);
  void cycled(std::uint32_t rank, Buffer buffer);
  /// Called after the call: memory that only the variable, or the request, held is freed.
  void dropped(std::uint32_t rank, Buffer buffer);
  void finalized(std::uint32_t rank, Request request);
  /// Called when nothing is outstanding and the collector has run.
  void over(std::uint32_t rank);

  /// Returns whether the variable is filled, by the judges' own account.
  bool is_filled(std::uint32_t rank, Buffer buffer) const { return in(rank, buffer) != nullptr; }
  /// Returns the source that the variable holds; none if it is empty.
  harness::BirthId source(std::uint32_t rank, Buffer buffer) const;
  /// Returns the source of a request; none if it sends nothing.
  harness::BirthId source_of(std::uint32_t rank, Request request) const {
    return place_of_source(rank, request).allocation;
  }
  Place place_of_source(std::uint32_t rank, Request request) const;
  /// Returns the destination of a request; none if it has none.
  harness::BirthId destination(std::uint32_t rank, Request request) const {
    return place_of_destination(rank, request).allocation;
  }
  Place place_of_destination(std::uint32_t rank, Request request) const;
  /// Returns whether some rank's source of the request is filled on this user stream, without a
  /// synchronization.
  bool is_ordered_by(std::uint32_t stream, Request request) const;
  /// Returns the maximum number of requests that `rank` had at once.
  std::uint32_t most_requests(std::uint32_t rank) const { return most_[rank]; }

 private:
  static constexpr Request kNone = 0xff;
  struct Tensor {
    Place place;
    Buffer variable = kNone;         ///< Variable that holds it.
    Request destination_of = kNone;  ///< Request whose destination it is.
    std::uint32_t requests = 0;      ///< Requests that use it, one bit each.
    std::uint32_t stream = 0;        ///< Stream on which it was filled.
    bool cycled = false;             ///< Part of a cycle: freed by the collector.
    bool is_used() const { return variable != kNone || requests != 0 || cycled; }
  };

  const Tensor* in(std::uint32_t rank, Buffer buffer) const;
  Tensor* in(std::uint32_t rank, Buffer buffer) {
    return const_cast<Tensor*>(std::as_const(*this).in(rank, buffer));
  }
  bool is_used(harness::BirthId allocation, std::uint32_t rank) const;
  /// Forgets unused tensors, and reports those that are alive nevertheless.
  void sweep(std::uint32_t rank, const char* why);

  harness::Scene& scene_;
  bool bounded_;
  std::array<std::pmr::vector<Tensor>, targets::alltoallv::kRankLimit> tensors_;
  std::array<Place, targets::alltoallv::kRankLimit> placed_{};  ///< Last placement, by rank.
  std::array<std::uint32_t, targets::alltoallv::kRankLimit> requests_{};
  std::array<std::uint32_t, targets::alltoallv::kRankLimit> most_{};
};

}  // namespace scenarios::alltoallv
