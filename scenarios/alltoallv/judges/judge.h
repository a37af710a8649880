// SPDX-License-Identifier: Apache-2.0
// Judge: compares the facts of a job with the model: the content of slots and destinations, the
// uses of each mapping, and what the owner of a slot, a tensor or a team has to give back, and
// when.
//
// How it judges mappings. A use begins when the cache returns a mapping and ends when the same use
// counts it down; a count that another use takes is stolen, one without a use wraps. If the variant
// claims to be bounded: a mapping that left the table is closed with its last use, an unused one is
// closed if the config says so, no address is mapped twice, and no mapping leaves the table without
// a reason (its memory is freed, the driver said "already mapped" twice, or it is unused and the
// config or the end of the process requires it). A cache must also have hits.
#pragma once

#include "scenarios/alltoallv/judges/leftovers.h"
#include "scenarios/alltoallv/model/reach.h"

namespace scenarios::alltoallv {

/// Gets each fact before the state changes. Ownership: borrows the scene, the state and the
/// windows. Threads: the run's.
class Judge final : public targets::alltoallv::Observer {
 public:
  Judge(harness::Scene& scene, const State& state, Reach& reach)
      : scene_(scene), state_(state), reach_(reach), leftovers_(scene, state) {}

  // ---- calls of the ranks, after the state has changed ----
  /// A call of `rank` has returned: reports mappings that should be closed.
  void call_returned(std::uint32_t rank);
  /// A rank has finished a post. When all have, no collective may own the slot for it.
  void post_finished(Request request);
  /// Reports unused tensors that are alive nevertheless.
  void tensors_released(std::uint32_t rank, const char* why);
  /// A rank has made its part of a team. `births`: births during that call.
  void team_made(std::uint32_t rank, std::uint32_t team, const Births& births) {
    if (state_.bounded) leftovers_.team_made(rank, team, births);
  }
  void process_closed(std::uint32_t rank);
  // ---- before it changes ----
  void team_destroyed(std::uint32_t rank, std::uint32_t team);
  /// Called when the process is about to close and nothing is outstanding.
  void process_closes(std::uint32_t rank) {
    if (state_.bounded) leftovers_.judge(rank);
  }

 private:
  // ---- facts ----
  void copied() override {}
  void read(const targets::alltoallv::Reading& reading) override;
  void posted(const targets::alltoallv::Posting& posting) override;
  void published(const targets::alltoallv::Publication& publication) override;
  void left(const targets::alltoallv::SlotLeft& slot) override;
  void ended(std::uint32_t rank, Request request) override {
    report_counted(rank, {.request = request});
  }
  void opened(const Opening& opening) override;
  void mapped(const Use& use, BirthId region, std::uint64_t reported) override;
  void let_go(const Use& use, BirthId met, std::uint64_t reported) override;
  void followed_null(const Use& use, BirthId meant) override;
  void marked(BirthId region) override;
  void closing(BirthId region) override;

  void add(harness::Fault fault) { scene_.world().history.add(std::move(fault)); }
  void report_wrong_value(std::string detail);
  void report_slot(std::string why);
  void compare(harness::Label what, const targets::alltoallv::Publication::Memory& found,
               const Place& place, std::uint64_t offset);

  /// Reports uses of a collective or team that have not been counted down at its end.
  void report_counted(std::uint32_t rank, const Use& what);
  void report_freed(BirthId scratch, std::uint32_t peer);
  void judge_leaving(const Mapping& mapping);
  bool may_leave(const Mapping& mapping) const;
  /// Returns false if the mapping was reported before.
  bool report_once(const Mapping& mapping);
  std::string holders(const Mapping& mapping) const;

  harness::Scene& scene_;
  const State& state_;
  Reach& reach_;
  Leftovers leftovers_;
  std::pmr::vector<BirthId> reported_;  ///< Mappings that were reported as open or as gone.
};

}  // namespace scenarios::alltoallv
