// SPDX-License-Identifier: Apache-2.0
// Job: implements the interface by forwarding each call to the rank's process.
#pragma once

#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

/// Ownership: in the run's arena, with its processes.
class Job final : public Alltoallv {
 public:
  explicit Job(Core& core) : heap_(core.runtime.heap) {
    for (std::uint32_t rank = 0; rank < core.setup.rank_count; ++rank)
      processes_[rank] = core.scheduler.arena().make<Process>(core, rank);
  }

  Status open(std::uint32_t rank) override { return processes_[rank]->open(); }
  void close(std::uint32_t rank) override { processes_[rank]->close(); }
  void create_team(std::uint32_t rank, std::uint32_t team, Topology topology) override {
    processes_[rank]->create_team(team, topology);
  }
  void destroy_team(std::uint32_t rank, std::uint32_t team) override {
    processes_[rank]->destroy_team(team);
  }
  void start_progress_thread(std::uint32_t rank) override { requests(rank).start_thread(); }
  void start_spare_thread(std::uint32_t rank) override { requests(rank).start_spare_thread(); }

  Status fill(std::uint32_t rank, Buffer buffer, std::uint32_t fill,
              std::uint32_t stream) override {
    return tensors(rank).fill(buffer, fill, stream);
  }
  bool filled(std::uint32_t rank, Buffer buffer) const override {
    return tensors(rank).filled(buffer);
  }
  void drop(std::uint32_t rank, Buffer buffer) override { tensors(rank).drop(buffer); }
  void make_cycle(std::uint32_t rank, Buffer buffer) override { tensors(rank).make_cycle(buffer); }
  void collect(std::uint32_t) override { heap_.collect(); }

  Status prepare(std::uint32_t rank, Request request, const Arguments& arguments) override {
    return tensors(rank).prepare(request, arguments);
  }
  Status init(std::uint32_t rank, Request request, const Arguments& arguments) override {
    return requests(rank).init(request, arguments);
  }
  void post(std::uint32_t rank, Request request) override { requests(rank).post(request); }
  void triggered_post(std::uint32_t rank, Request request) override {
    requests(rank).triggered_post(request);
  }
  void progress(std::uint32_t rank) override { requests(rank).progress(); }
  Status test(std::uint32_t rank, Request request) const override {
    return requests(rank).test(request);
  }
  Status wait(std::uint32_t rank, Request request) override { return requests(rank).wait(request); }
  Status check(std::uint32_t rank, Request request, std::span<const Row> rows) override {
    return requests(rank).check(request, rows);
  }
  Status scrub(std::uint32_t rank, Request request) override {
    return requests(rank).scrub(request);
  }
  void finalize(std::uint32_t rank, Request request) override { requests(rank).finalize(request); }

 private:
  Tensors& tensors(std::uint32_t rank) const { return processes_[rank]->tensors(); }
  Requests& requests(std::uint32_t rank) const { return processes_[rank]->requests(); }

  harness::Heap& heap_;
  std::array<Process*, kRankLimit> processes_{};
};

}  // namespace targets::alltoallv
