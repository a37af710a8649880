// Finding: a fault that the program shows under some decisions, with all that is known of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/client/orders.h"
#include "harness/client/report.h"
#include "harness/client/world_reads.h"

namespace harness::client {

struct Finding {
  ToldFault fault;                      ///< The fault of a run in which places were noted.
  std::vector<ToldDecision> decisions;  ///< All that it takes.
  std::uint64_t run = 0;                ///< The first that showed it; 0 is the plain one.
  std::uint64_t run_count = 0;          ///< How many of the search showed it.
  unsigned replay_count = 0;            ///< How often its decisions were tried again,
  unsigned shown_count = 0;             ///< and how often they showed it.
  WorldReads reads;                     ///< Looked for where the replays do not agree.
  std::vector<ToldFault> faces;         ///< Other faults of the same bug.
  bool pedantic = false;                ///< The driver was as late as the documentation lets it be.
  std::string doubt;                    ///< The reason why a replay may differ, where one is known.
  bool has_free_threads = false;        ///< It is that threads call the driver freely.
  double limit_seconds = 0;    ///< The time that its runs exceeded; 0 if it is not one of time.
  unsigned placing_count = 0;  ///< So many further runs looked for its places in vain.
  Trial repair;        ///< The repair that was tried, if `fix` is not empty; not in the file.
  std::string fix;     ///< A repair with which the fault was gone; empty where none was found.
  std::string build;   ///< The build-id of the program; empty for a script.
  std::string forced;  ///< The reason why decisions are, where some are forced.

  /// Returns whether the fault is of this bug, as far as is known.
  bool is_of(const ToldFault& other) const {
    return fault.is_same(other) ||
           std::ranges::any_of(faces, [&](const ToldFault& face) { return face.is_same(other); });
  }
  /// Returns whether each replay showed it: if not, the program differs from run to run by itself.
  bool repeats() const { return shown_count == replay_count; }
  /// Returns whether it takes something that the program's Python cannot come to by itself, as far
  /// as was tried.
  bool is_forced() const { return std::ranges::any_of(decisions, &ToldDecision::is_forced); }
};

}  // namespace harness::client
