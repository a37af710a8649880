// SPDX-License-Identifier: Apache-2.0
// Slots: which use of a slot is which, and who has it, as the judges know it: from what the ranks
// were told to post, and never from the numbers that the path gives.
#pragma once

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Request;

/// Ownership: the job's. Threads: the run's.
class Slots {
 public:
  /// `bounded`: whether the variant says that a slot is free when all are done with it.
  Slots(harness::Scene& scene, std::uint32_t rank_count, bool bounded)
      : scene_(scene), rank_count_(rank_count), bounded_(bounded) {}

  // ---- facts ----
  void posted(const targets::alltoallv::Posting& posting);
  /// Returns the mark of the words of the rank's last post of the request: which request, and which
  /// of its posts.
  harness::Generation mark(std::uint32_t rank, Request request) const;
  void claimed(std::uint32_t slot, Request request);
  void released(std::uint32_t slot) { owners_[slot] = {}; }
  void left(const targets::alltoallv::SlotLeft& slot);

  /// How often the rank has posted the request.
  std::uint32_t round(std::uint32_t rank, Request request) const { return rounds_[rank][request]; }
  /// A rank is done with a post. When all are, nothing has the slot for it any more.
  void finished(Request request);

 private:
  struct Owner {
    std::uint8_t request = 0xff;  ///< Nothing's.
    std::uint8_t round = 0;
  };
  static constexpr std::size_t kRequests = kSlotCountLimit;

  harness::Scene& scene_;
  std::uint32_t rank_count_;
  bool bounded_;
  std::array<std::array<std::uint8_t, kRequests>, targets::alltoallv::kRankLimit> rounds_{};
  std::array<std::uint32_t, kRequests> finished_{};  ///< How often a rank was.
  std::array<Owner, targets::alltoallv::kSlotIds> owners_{};
};

}  // namespace scenarios::alltoallv
