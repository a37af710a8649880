// SPDX-License-Identifier: Apache-2.0
// Mappings: who uses which mapping of a peer's memory, as the judges count it: from what a rank
// opened, took, let go of and closed, and never from the counts that the path keeps for itself.
#pragma once

#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Opening;
using targets::alltoallv::Request;
using targets::alltoallv::Use;

/// A mapping that was not there.
inline constexpr harness::Label kMissingRegion{"missing region"};

/// Reports a life that outlasted, during the run, the last one that could use it.
void retain(harness::Scene& scene, harness::BirthId life, std::string why);

/// Ownership: the job's. Threads: the run's.
class Mappings {
 public:
  /// `bounded`: whether the variant says that what nothing holds is closed.
  Mappings(harness::Scene& scene, bool bounded);

  // ---- facts ----
  void opened(const Opening& opening);
  /// `memory`: the peer's allocation that it is of; none if the judges do not know.
  void mapped(const Use& use, harness::BirthId region, std::uint64_t told, harness::BirthId memory);
  void let_go(const Use& use, harness::BirthId met, std::uint64_t told, harness::BirthId memory);
  void followed_null(harness::BirthId meant);
  /// A mapping is about to leave the table, for the sake of another use.
  void evicting(const targets::alltoallv::Eviction& eviction);
  void marked(harness::BirthId region);
  void closing(harness::BirthId region);
  /// A collective is over on a rank: its uses are.
  void ended(std::uint32_t rank, Request request) { ended(rank, Use{.request = request}); }
  /// A rank's part of a team has gone, and so have its uses of scratch.
  void team_destroyed(std::uint32_t rank, std::uint32_t team);
  /// Whatever is open goes now, and nothing may be left.
  void process_closes(std::uint32_t rank) { closing_[rank] = true; }
  void process_closed(std::uint32_t rank);

  // ---- judgement ----
  /// A call of `rank` has returned: whatever must not stay open by now is closed.
  void settle(std::uint32_t rank);
  /// How many mappings `rank` has open, code that holds them.
  std::size_t open_count(std::uint32_t rank) const { return open_[rank].size(); }
  /// The peer that has scratch of `rank` mapped for that team; none if nothing has.
  std::optional<std::uint32_t> mapper_of_scratch(std::uint32_t rank, std::uint32_t team) const;
  /// Whether a collective that is not over on its rank, or a team, has mapped it.
  bool is_used(harness::BirthId region) const;
  /// Whether the mapping is the one that the use was given.
  bool is_own(const Use& use, harness::BirthId region) const;
  /// Why the mapping left the table, or the one that was meant when this one was let go of; none if
  /// neither has.
  std::optional<targets::alltoallv::Reason> thrown_for(harness::Name region) const;

 private:
  struct Region {
    Opening opening;
    harness::BirthId memory = harness::BirthId::none;
    std::uint64_t count = 0;  ///< How many uses have begun and not ended.
    bool marked = false;
    bool reported = false;
  };
  struct Thrown {
    harness::Name region;
    targets::alltoallv::Reason reason;
  };
  struct Held {
    Use use;
    harness::BirthId region;
  };
  template <class T>
  using ByRank = std::array<std::pmr::vector<T>, targets::alltoallv::kRankLimit>;

  Region* find(harness::BirthId region);
  void ended(std::uint32_t rank, const Use& what);
  void forget(std::uint32_t rank, const Use& what);
  void report_held(const Held& held);
  std::string holders(const Region& region) const;
  bool must_go(const Region& region) const;
  void judge_leaving(Region& region);
  bool may_leave(const Region& region) const;

  harness::Scene& scene_;
  bool bounded_;
  bool close_at_zero_;
  ByRank<Region> open_;
  ByRank<Held> held_;
  ByRank<Held> begun_;  ///< All uses of what is not over, let go of or not.
  std::array<bool, targets::alltoallv::kRankLimit> closing_{};
  std::pmr::vector<Thrown> thrown_;  ///< Left the table, or met in the place of what has.
  Use evicted_for_;  ///< The use that the last mapping to leave the table made room for.
};

}  // namespace scenarios::alltoallv
