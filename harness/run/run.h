// SPDX-License-Identifier: Apache-2.0
// Door 3 of 3: run(case) -> outcome. The interface for entry points.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/driver/device.h"
#include "harness/run/case.h"
#include "harness/run/tables.h"

namespace harness {

/// The outcome of one run. Equal cases give equal outcomes, in every build and on every machine.
struct Outcome {
  Ending ending = Ending::finished;
  std::vector<Fault> faults;         ///< Faults in the order in which they were found, without
                                     ///< caller errors.
  std::vector<Fault> caller_errors;  ///< Contract violations by the caller.
  std::vector<std::int8_t> windows;  ///< The window of each of `faults`, or -1.
  std::vector<std::int8_t> ways;     ///< The way in of each of `faults`; 0 if there is one.
  Tape tape;                         ///< Replays this run.
  bool vacuous = true;
  bool endless = false;  ///< The run ended in an endless loop, which takes seconds
                         ///< (watchdog.h).
  WindowSet reached;
  std::array<WindowSet, kWayLimit> reached_by{};  ///< The same, for each way in.
  /// The windows that a documented refusal kept the run out of, for each way in.
  std::array<WindowSet, kWayLimit> refused_by{};
  WindowSet contract;  ///< The windows of `caller_errors`.
  OpSet ops;           ///< The kinds of op that ran.
  std::uint64_t question_count = 0;
  Tick turns = 0;

  /// Returns whether the run found a fault that is not the caller's.
  bool failed() const { return !faults.empty(); }
  /// Returns the windows of `faults`.
  WindowSet failed_windows() const {
    WindowSet failed;
    for (const std::int8_t window : windows)
      if (window >= 0) failed.insert(static_cast<std::size_t>(window));
    return failed;
  }
};

/// Runs cases, one at a time, and keeps its buffers in between: after the first few, a run
/// allocates nothing. Threads: confined to one thread.
class Runner {
 public:
  Runner();
  ~Runner();

  /// Runs `scenario` under `strategy`. The outcome stays valid until the next run.
  /// Errors: std::runtime_error in the first run if the device is not available; no other
  /// exception.
  const Outcome& run(const Scenario& scenario, std::size_t variant, const Config& config,
                     const DeviceInfo& device, Strategy& strategy,
                     ErrorInjection errors = ErrorInjection::on);

  /// Runs `the_case` under `strategy` instead of its tape.
  const Outcome& run(const Case& the_case, Strategy& strategy);

  /// Replays the tape of `the_case`.
  const Outcome& run(const Case& the_case);

  /// Replays the tape, recorded by `instruments`, which the scenario of the case made.
  const Outcome& run(const Case& the_case, Instruments& instruments);

  /// Returns the choices of the last case that its run never made. They had no effect.
  Tape never_asked(const Case& the_case) const;

  /// Returns the history of the last run.
  const History& history() const;
  /// Returns the world of the last run. It stays valid until the next run.
  const World& world() const;
  /// Returns a hash over events and faults that is equal for equal runs.
  std::uint64_t trace_hash() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace harness
