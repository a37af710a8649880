// How a rank makes teams, and how it leaves. A quiet job is the least that its plan takes: it
// begins with the team that it asks for first, and has no garbage to collect.
#include "scenarios/alltoallv/ranks.h"

namespace scenarios::alltoallv {

using harness::BirthId;
using targets::alltoallv::Topology;

void Job::leave(std::uint32_t rank) {
  finalize_kept(rank);
  destroy_team(rank);
  for (std::uint32_t buffer = 0; buffer < targets::alltoallv::kBufferCount; ++buffer)
    if (memory_.is_filled(rank, buffer)) drop(rank, buffer);
  if (!is_quiet()) collect_all(rank);
  mappings_.settle(rank);
  memory_.over(rank);
  if (bounded_) leftovers_.judge(rank, allowance(rank));
  mappings_.process_closes(rank);
  path_->close(rank);
  mappings_.process_closed(rank);
  closed_.count_down();
}

void Job::collect_all(std::uint32_t rank) {
  dropped_.count_down();
  if (rank == 0) {
    dropped_.wait();
    scene_.world().heap.finish_collection();  // While it runs, nobody else can collect.
    const auto collect = [this, rank] {
      path_->collect(rank);
      collected_.count_down();
    };
    if (theme_.litters)
      scene_.world().scheduler.spawn("garbage", collect);  // A thread that has no context.
    else
      collect();
  }
  if (theme_.litters && rank != 0) poll(rank);
  collected_.wait();
  path_->progress(rank);  // What the collector left to this process is freed.
}

// Frees what is left to the process, as it comes.
void Job::poll(std::uint32_t rank) {
  constexpr int kPolls = 32;
  dropped_.wait();
  for (int i = 0; i < kPolls; ++i) {
    path_->progress(rank);
    sleep(1);
  }
}

void Job::renew_team(std::uint32_t rank, const Step& step) {
  if (theme_.quiet && topology_[rank] == step.topology) return;
  finish_all(rank);
  finalize_kept(rank);
  destroy_team(rank);
  topology_[rank] = step.topology;
  create_team(rank, step.topology);
}

void Job::create_team(std::uint32_t rank, Topology topology) {
  const Births births(scene_.world());
  scratch_[rank] = BirthId::none;
  path_->create_team(rank, topology);
  scratch_[rank] = births.last_allocation();
}

void Job::destroy_team(std::uint32_t rank) {
  path_->destroy_team(rank);
  if (bounded_) mappings_.ended(rank, Use::kTeam);
}

}  // namespace scenarios::alltoallv
