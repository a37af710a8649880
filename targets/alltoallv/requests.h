// SPDX-License-Identifier: Apache-2.0
// Requests: the collectives of a process, by the request numbers that its caller chooses.
#pragma once

#include "targets/alltoallv/progress.h"
#include "targets/alltoallv/results.h"

namespace targets::alltoallv {

/// Ownership: owned by the process; its tasks are in the run's arena. Threads: the process's own.
class Requests {
 public:
  explicit Requests(Rank& rank) : rank_(rank), results_(rank), progress_(rank, requested_) {}
  Requests(const Requests&) = delete;  // progress_ points at requested_.
  Requests& operator=(const Requests&) = delete;

  Status init(Request request, const Arguments& arguments);
  void post(Request request);
  void triggered_post(Request request);
  void progress();
  Status test(Request request) const;
  Status wait(Request request);
  void finalize(Request request);

  Status check(Request request, std::span<const Row> rows) {
    return results_.check(request, requested_[request]->destination(), rows);
  }
  Status scrub(Request request) { return results_.scrub(requested_[request]->destination()); }

  /// Returns the outstanding requests, so that a waiting task can progress them.
  Progress& outstanding() { return progress_; }
  void start_thread() { progress_.start_thread(); }
  void start_spare_thread() { progress_.start_spare_thread(); }
  void stop_threads() { progress_.stop(); }

 private:
  Rank& rank_;
  Results results_;
  Requested requested_{};
  Progress progress_;
};

}  // namespace targets::alltoallv
