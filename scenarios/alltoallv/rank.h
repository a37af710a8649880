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
      : job_(job), state_(job.state), rank_(rank), collectives_(job, rank) {}

  void run();

  // ---- calls of a step, as ops.def names them ----
  Status begin(const Step& step) { return collectives_.begin(step); }
  Status post_again(const Step& step) { return collectives_.post_again(step); }
  void wait(const Step&) { collectives_.finish_all(); }
  void progress(const Step&) { job_.path->progress(rank_); }
  /// Stays behind, or finishes outstanding collectives and drops a buffer.
  void renew(const Step& step);
  void drop(const Step& step) { collectives_.drop(step.buffer); }
  void make_cycle(const Step& step);
  void collect(const Step&) { job_.path->collect(rank_); }
  void start_thread(const Step&) { job_.path->start_progress_thread(rank_); }
  void new_team(const Step& step);
  void sleep(const Step& step) { pass(step.turns); }
  void second_team(const Step& step);
  void end_team(const Step& step);

 private:
  void take_step(const Step& step);
  void start_slow_thread();
  void stay_behind(const Delay& delay);
  void pass(std::uint32_t turns);

  void create_team(std::uint32_t team, Topology topology);
  void destroy_team(std::uint32_t team);

  void leave();
  void collect_all();
  void poll();

  Job& job_;
  const State& state_;
  std::uint32_t rank_;
  Collectives collectives_;
  bool two_teams_ = false;
};

}  // namespace scenarios::alltoallv
