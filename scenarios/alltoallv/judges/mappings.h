// SPDX-License-Identifier: Apache-2.0
// Mappings: the uses of each mapping, as the judges count them: by the opening, mapping, unmapping
// and closing that ranks report, and never by the path's own counts.
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

/// Object kind of a mapping that does not exist.
inline constexpr harness::Label kMissingRegion{"missing region"};

/// Reports an object that outlived its last possible use.
void retain(harness::Scene& scene, harness::BirthId life, std::string why);

/// Ownership: owned by the job. Threads: the run's.
class Mappings {
 public:
  /// `bounded`: whether the variant claims that unused mappings are closed.
  Mappings(harness::Scene& scene, bool bounded);

  // ---- facts ----
  void opened(const Opening& opening);
  /// `memory`: the peer's allocation that is mapped; none if the judges do not know it.
  void mapped(const Use& use, harness::BirthId region, std::uint64_t told, harness::BirthId memory);
  void let_go(const Use& use, harness::BirthId met, std::uint64_t told, harness::BirthId memory);
  void followed_null(harness::BirthId meant);
  /// A mapping is about to leave the table because of another use.
  void evicting(const targets::alltoallv::Eviction& eviction);
  void marked(harness::BirthId region);
  void closing(harness::BirthId region);
  /// A collective has ended on a rank, and so have its uses.
  void ended(std::uint32_t rank, Request request) { ended(rank, Use{.request = request}); }
  /// A rank's part of a team is destroyed, and so its uses of scratch have ended.
  void team_destroyed(std::uint32_t rank, std::uint32_t team);
  /// The process closes all mappings now, and none may be left afterwards.
  void process_closes(std::uint32_t rank) { closing_[rank] = true; }
  void process_closed(std::uint32_t rank);

  // ---- judgement ----
  /// A call of `rank` has returned: reports mappings that should be closed.
  void settle(std::uint32_t rank);
  /// Returns the number of mappings that `rank` has open.
  std::size_t open_count(std::uint32_t rank) const { return open_[rank].size(); }
  /// Returns the peer that maps the scratch of `rank` for that team; none if there is none.
  std::optional<std::uint32_t> mapper_of_scratch(std::uint32_t rank, std::uint32_t team) const;
  /// Returns whether a team, or a collective that has not ended on its rank, has mapped it.
  bool is_used(harness::BirthId region) const;
  /// Returns whether the mapping is the one that the use got.
  bool is_own(const Use& use, harness::BirthId region) const;
  /// Returns why the mapping left the table, or why the one that was meant did; none if neither has
  /// left it.
  std::optional<targets::alltoallv::Reason> thrown_for(harness::Name region) const;

 private:
  struct Region {
    Opening opening;
    harness::BirthId memory = harness::BirthId::none;
    std::uint64_t count = 0;  ///< Uses that have begun and not ended.
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
  ByRank<Held> begun_;  ///< All uses of unfinished collectives and teams, even if unmapped.
  std::array<bool, targets::alltoallv::kRankLimit> closing_{};
  std::pmr::vector<Thrown> thrown_;  ///< Evicted, or met in the place of an evicted one.
  Use evicted_for_;                  ///< Use for which the last evicted mapping was evicted.
};

}  // namespace scenarios::alltoallv
