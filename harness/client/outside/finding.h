// SPDX-License-Identifier: Apache-2.0
// Finding: a fault that the program shows with certain choices, and all that is known about it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/client/border/orders.h"
#include "harness/client/border/report.h"
#include "harness/client/outside/world_reads.h"

namespace harness::client {

struct Finding {
  ToldFault fault;                      ///< The fault, from a run that recorded places.
  std::vector<ToldDecision> decisions;  ///< The choices that it needs.
  std::uint64_t run = 0;                ///< The first run that showed it; 0 is the default run.
  std::uint64_t run_count = 0;          ///< Number of runs of the search that showed it.
  unsigned replay_count = 0;            ///< Number of replays.
  unsigned shown_count = 0;             ///< Number of replays that showed it.
  WorldReads reads;                     ///< Searched for if the replays do not agree.
  std::vector<ToldFault> faces;         ///< Other faults of the same bug.
  bool pedantic = false;                ///< The driver was as late as the documentation permits.
  std::string doubt;                    ///< The reason why replays may differ; empty if unknown.
  bool has_free_threads = false;        ///< `doubt` says that threads call the driver freely.
  double limit_seconds = 0;    ///< The time limit that its runs exceeded; 0 if it is not a timeout.
  unsigned placing_count = 0;  ///< Number of further runs; none of them found its places.
  Trial repair;        ///< The repair that was tried, if `fix` is not empty; not in the file.
  std::string fix;     ///< A repair that removed the fault; empty if none was found.
  std::string build;   ///< The build-id of the program; empty for a script.
  std::string forced;  ///< The reason why some choices are forced; empty if none is.

  /// Returns whether the fault belongs to this finding, as far as is known.
  bool is_of(const ToldFault& other) const {
    return fault.is_same(other) ||
           std::ranges::any_of(faces, [&](const ToldFault& face) { return face.is_same(other); });
  }
  /// Becomes `better`, another face of the same bug that says more.
  void take_over(Finding&& better) {
    std::vector<ToldFault> all = std::move(faces);
    all.push_back(fault);
    const std::uint64_t first = run, count = run_count;
    *this = std::move(better);
    faces = std::move(all);
    run = first;
    run_count = count;
  }
  /// Returns whether every replay showed it. If not, the program itself differs from run to run.
  bool repeats() const { return shown_count == replay_count; }
  /// Returns whether it needs a choice that the program's Python cannot make by itself, as far as
  /// attempts without it have shown.
  bool is_forced() const { return std::ranges::any_of(decisions, &ToldDecision::is_forced); }
};

}  // namespace harness::client
