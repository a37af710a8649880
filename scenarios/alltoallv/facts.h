// SPDX-License-Identifier: Apache-2.0
// Facts: passes each fact of the target to the parts that use it, and judges what the ranks do. The
// state changes last, so that the other parts see it as it was before the fact.
#pragma once

#include "scenarios/alltoallv/judges/judge.h"
#include "scenarios/alltoallv/model/update.h"
#include "scenarios/alltoallv/story.h"

namespace scenarios::alltoallv {

/// Ownership: owned by the job; borrows the scene and the state. Threads: the run's.
class Facts final : public targets::alltoallv::Observer {
 public:
  Facts(harness::Scene& scene, State& state)
      : story_(scene.world(), state),
        reach_(scene, state),
        judge_(scene, state, reach_),
        update_(scene, state) {}
  Facts(const Facts&) = delete;  // Its parts point at each other, and the path points at it.
  Facts& operator=(const Facts&) = delete;

  Reach& reach() { return reach_; }
  Update& update() { return update_; }

  // ---- calls of the ranks, once they have returned ----
  void call_returned(std::uint32_t rank) { judge_.call_returned(rank); }
  void post_finished(Request request) {
    update_.post_finished(request);
    judge_.post_finished(request);
  }
  void dropped(std::uint32_t rank, Buffer buffer) {
    update_.dropped(rank, buffer);
    release_tensors(rank, "the variable was the last one that held it");
  }
  void finalized(std::uint32_t rank, Request request) {
    update_.finalized(rank, request);
    release_tensors(rank, "the collective was the last one that held it");
  }
  /// `births`: births during the call.
  void team_made(std::uint32_t rank, std::uint32_t team, const Births& births) {
    update_.team_made(rank, team, births.last_allocation());
    judge_.team_made(rank, team, births);
  }
  void team_destroyed(std::uint32_t rank, std::uint32_t team) {
    judge_.team_destroyed(rank, team);
    update_.team_destroyed(rank, team);
  }
  /// Called when the process is about to close and nothing is outstanding.
  void process_closes(std::uint32_t rank) {
    update_.process_closes(rank);
    release_tensors(rank, "no rank holds it, and the collector has run");
    judge_.process_closes(rank);
  }
  void process_closed(std::uint32_t rank) { judge_.process_closed(rank); }

 private:
  void release_tensors(std::uint32_t rank, const char* why) {
    judge_.tensors_released(rank, why);
    update_.forget_unused_tensors(rank);
  }

#define FACT(name, parameters, arguments)                                    \
  void name parameters override {                                            \
    for (targets::alltoallv::Observer * part : parts_) part->name arguments; \
  }
#include "scenarios/alltoallv/facts.def"

  Story story_;
  Reach reach_;
  Judge judge_;
  Update update_;
  std::array<targets::alltoallv::Observer*, 4> parts_{&story_, &reach_, &judge_, &update_};
};

}  // namespace scenarios::alltoallv
