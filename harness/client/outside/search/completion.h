// SPDX-License-Identifier: Apache-2.0
// Completion: turns a fault of a run into a finding, with the fewest choices, three replays that
// record places, and a repair.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "harness/client/border/orders.h"
#include "harness/client/outside/client.h"
#include "harness/client/outside/finding.h"

namespace harness::client {

/// Number of replays of a finding.
inline constexpr unsigned kReplays = 3;

/// Lifetime: borrows all its arguments.
class Completion {
 public:
  /// Runs the program once. The text describes the current step.
  using Run = std::function<ClientRun(const char* doing, const Orders& orders)>;

  /// `base`: orders of a run without choices. `began`: start time of the search.
  Completion(const Client& client, const Orders& base, Run run, const std::atomic<bool>& stop,
             std::chrono::system_clock::time_point began)
      : client_(client), base_(base), run_(std::move(run)), stop_(stop), began_(began) {}

  /// Minimizes the fault of `run`, and replays the result. `code`: exit code of a run without
  /// choices. `known`: findings whose repair may remove this fault, too.
  void complete(Finding& finding, const ClientRun& run, int code,
                std::span<const Finding> known = {}) const;
  /// Returns the fault with places, from a run with the choices that led to it; unchanged if that
  /// run does not show it.
  ToldFault placed(const ToldFault& fault, const ClientRun& run) const;

  /// Returns whether the repair of another finding removes the failure, which is then its
  /// consequence.
  bool is_repaired_by(const Finding& failure, const Finding& known) const;

 private:
  Orders orders_for(const Tape& tape, bool locates) const;
  Tape minimize(Finding& finding, const ClientRun& run) const;
  std::vector<AskedQuestion> asked_by(const Tape& tape) const;
  void replay(Finding& finding, const Tape& least) const;
  void explain(Finding& finding, const ClientRun& run, const Tape& least) const;
  void find_places(Finding& finding, const Tape& least) const;
  void repair(Finding& finding, const Tape& least, int code) const;
  void borrow_repair(Finding& finding, const Finding& known, int code) const;
  ClientRun try_repair(const Tape& least, const Trial& trial) const;

  const Client& client_;
  const Orders base_;
  const Run run_;
  const std::atomic<bool>& stop_;
  const std::chrono::system_clock::time_point began_;
};

}  // namespace harness::client
