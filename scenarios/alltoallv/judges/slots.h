// SPDX-License-Identifier: Apache-2.0
// Slots: the uses of each slot and its owner, by the judges' own account of the planned posts, and
// never by the path's numbers.
#pragma once

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Request;

/// Ownership: owned by the job. Threads: the run's.
class Slots {
 public:
  /// `bounded`: whether the variant claims that a slot is free once all ranks are done.
  Slots(harness::Scene& scene, std::uint32_t rank_count, bool bounded)
      : scene_(scene), rank_count_(rank_count), bounded_(bounded) {}

  // ---- facts ----
  void posted(const targets::alltoallv::Posting& posting);
  /// Returns the expected tag of a rank's words for its last post of the request: the request, and
  /// which of its posts.
  harness::Generation mark(std::uint32_t rank, Request request) const;
  void claimed(std::uint32_t slot, Request request);
  void released(std::uint32_t slot) { owners_[slot] = {}; }
  void left(const targets::alltoallv::SlotLeft& slot);

  /// Returns how often the rank has posted the request.
  std::uint32_t round(std::uint32_t rank, Request request) const { return rounds_[rank][request]; }
  /// A rank has finished a post. When all have, no collective may own the slot for it.
  void finished(Request request);

 private:
  struct Owner {
    std::uint8_t request = 0xff;  ///< No request.
    std::uint8_t round = 0;
  };
  static constexpr std::size_t kRequests = kSlotCountLimit;

  harness::Scene& scene_;
  std::uint32_t rank_count_;
  bool bounded_;
  std::array<std::array<std::uint8_t, kRequests>, targets::alltoallv::kRankLimit> rounds_{};
  std::array<std::uint32_t, kRequests> finished_{};  ///< Finished posts, over all ranks.
  std::array<Owner, targets::alltoallv::kSlotIds> owners_{};
};

}  // namespace scenarios::alltoallv
