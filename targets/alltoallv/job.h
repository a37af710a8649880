// Job: the interface, handed on to the process of each rank.
#pragma once

#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

/// Ownership: in the run's arena, with its processes.
class Job final : public Alltoallv {
 public:
  explicit Job(Core& core) : core_(core) {
    for (std::uint32_t rank = 0; rank < core.setup.rank_count; ++rank)
      core.processes[rank] = core.scheduler.arena().make<Process>(core, rank);
  }

  Status open(std::uint32_t rank) override { return at(rank).open(); }
  void close(std::uint32_t rank) override { at(rank).close(); }
  void create_team(std::uint32_t rank, Topology topology) override {
    at(rank).create_team(topology);
  }
  void destroy_team(std::uint32_t rank) override { at(rank).destroy_team(); }
  void start_progress_thread(std::uint32_t rank) override { at(rank).start_progress_thread(); }

  Status fill(std::uint32_t rank, Buffer buffer, std::uint32_t fill,
              std::uint32_t stream) override {
    return at(rank).fill(buffer, fill, stream);
  }
  bool filled(std::uint32_t rank, Buffer buffer) const override {
    return core_.processes[rank]->filled(buffer);
  }
  void drop(std::uint32_t rank, Buffer buffer) override { at(rank).drop(buffer); }
  void make_cycle(std::uint32_t rank, Buffer buffer) override { at(rank).make_cycle(buffer); }
  void collect(std::uint32_t) override { core_.runtime.heap.collect(); }

  Status init(std::uint32_t rank, Request request, const Arguments& arguments) override {
    return at(rank).init(request, arguments);
  }
  void post(std::uint32_t rank, Request request) override { at(rank).post(request); }
  void triggered_post(std::uint32_t rank, Request request) override {
    at(rank).triggered_post(request);
  }
  void progress(std::uint32_t rank) override { at(rank).progress(); }
  Status test(std::uint32_t rank, Request request) const override {
    return core_.processes[rank]->test(request);
  }
  Status wait(std::uint32_t rank, Request request) override { return at(rank).wait(request); }
  Status check(std::uint32_t rank, Request request, std::span<const Expected> expected) override {
    return at(rank).check(request, expected);
  }
  Status scrub(std::uint32_t rank, Request request) override { return at(rank).scrub(request); }
  void finalize(std::uint32_t rank, Request request) override { at(rank).finalize(request); }

 private:
  Process& at(std::uint32_t rank) { return *core_.processes[rank]; }

  Core& core_;
};

}  // namespace targets::alltoallv
