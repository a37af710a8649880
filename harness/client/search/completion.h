// Completion: makes a finding of a fault that a run showed: the fewest decisions that it takes,
// three replays with places noted, and a repair that removes it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "harness/client/client.h"
#include "harness/client/finding.h"
#include "harness/client/orders.h"

namespace harness::client {

/// So many replays are made of a finding.
inline constexpr unsigned kReplays = 3;

/// Lifetime: borrows all that it is given.
class Completion {
 public:
  /// Runs the program once, as part of what it is doing, in words.
  using Run = std::function<ClientRun(const char* doing, const Orders& orders)>;

  /// `base`: the orders of a run without decisions. `began`: when the search did.
  Completion(const Client& client, const Orders& base, Run run, const std::atomic<bool>& stop,
             std::chrono::system_clock::time_point began)
      : client_(client), base_(base), run_(std::move(run)), stop_(stop), began_(began) {}

  /// Minimizes what `run` showed, and replays what is left. `code`: how a run without decisions
  /// ends.
  void complete(Finding& finding, const ClientRun& run, int code) const;
  /// Returns the fault as a run of the decisions that led to it has it, with places noted; as it is
  /// where that run has none.
  ToldFault placed(const ToldFault& fault, const ClientRun& run) const;

  /// Returns whether the failure is gone with the repair of another finding, whose consequence it
  /// then is.
  bool is_repaired_by(const Finding& failure, const Finding& known) const;

 private:
  Orders orders_for(const Tape& tape, bool locates) const;
  Tape minimize(Finding& finding, const ClientRun& run) const;
  std::vector<AskedQuestion> asked_by(const Tape& tape) const;
  void replay(Finding& finding, const Tape& least) const;
  void explain(Finding& finding, const ClientRun& run, const Tape& least) const;
  void find_places(Finding& finding, const Tape& least) const;
  void repair(Finding& finding, const Tape& least, int code) const;

  const Client& client_;
  const Orders base_;
  const Run run_;
  const std::atomic<bool>& stop_;
  const std::chrono::system_clock::time_point began_;
};

}  // namespace harness::client
