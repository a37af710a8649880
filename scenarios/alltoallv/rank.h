// SPDX-License-Identifier: Apache-2.0
// Rank: the program of one rank. It runs the plan step by step; each op is a separate activation,
// named after its slot and the rank.
#pragma once

#include "scenarios/alltoallv/collectives.h"

namespace scenarios::alltoallv {

/// Ownership: in the run's arena; borrows the job. Threads: the rank's own task.
class Rank {
 public:
  using Status = targets::alltoallv::Status;
  using Topology = targets::alltoallv::Topology;

  Rank(Job& job, std::uint32_t rank)
      : job_(job), state_of_job_(job.job_state), rank_(rank), collectives_(job, rank) {}

  void run();

  // ---- calls of a step ----
  Status begin(const Step& step);
  Status post_again(const Step& step);
  Status wait(const Step& step);
  Status progress(const Step& step);
  /// Stays behind, or finishes outstanding collectives and drops a buffer.
  Status renew(const Step& step);
  Status drop(const Step& step);
  Status make_cycle(const Step& step);
  Status collect(const Step& step);
  Status start_thread(const Step& step);
  Status new_team(const Step& step);
  Status sleep(const Step& step);
  Status second_team(const Step& step);
  Status end_team(const Step& step);

 private:
  void take_step(const Step& step);
  void start_slow_thread();
  void stay_behind(const Delay& delay);
  void pass(std::uint32_t turns);

  void create_team(std::uint32_t team, Topology topology);
  void destroy_team(std::uint32_t team);
  void renew_team(Topology topology);

  void leave();
  void collect_all();
  void poll();

  Job& job_;
  JobState& state_of_job_;
  std::uint32_t rank_;
  Collectives collectives_;
  bool two_teams_ = false;
};

}  // namespace scenarios::alltoallv
