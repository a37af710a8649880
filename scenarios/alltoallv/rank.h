// Rank: everything one rank does. It walks down the plan; each op is an activation of its own,
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
      : job_(job), course_(job.course), rank_(rank), collectives_(job, rank) {}

  void run();

 private:
  void take_step(const Step& step);
  Status perform(const Step& step);
  void start_slow_thread();
  Status stay_behind(std::uint32_t turns);
  Status sleep(std::uint32_t turns);

  void create_team(Topology topology);
  void destroy_team();
  void renew_team(Topology topology);

  void leave();
  void collect_all();
  void poll();

  Job& job_;
  Course& course_;
  std::uint32_t rank_;
  Collectives collectives_;
};

}  // namespace scenarios::alltoallv
