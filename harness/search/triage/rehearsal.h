// SPDX-License-Identifier: Apache-2.0
// Rehearsal: a strategy that injects the errors of a tape, regardless of other choices.
//
// A search of other schedules must keep the error that causes a fault, and add no other. A call
// that a repair spares does not fail, but its choice is still made, so that later choices keep
// their numbers.
#pragma once

#include <vector>

#include "harness/core/pick/replay.h"
#include "harness/core/world.h"
#include "harness/search/triage/triage.h"

namespace harness::triaging {

/// The call of a step that is not a CUDA call. An empty label would match any call.
inline constexpr Label kStep = "step";

/// A step that failed according to the tape.
struct RefusedStep {
  Label call;
  Label site;
  bool operator==(const RefusedStep&) const = default;
};

/// Ownership: borrows the strategy that makes all other choices, the repair, and the world of the
/// runs.
class Rehearsal final : public Strategy {
 public:
  /// `repair` may be null, and only matters if it spares a call.
  Rehearsal(Strategy& inner, const Tape& tape, const Repair* repair, const World& world)
      : inner_(inner), repair_(repair), world_(world) {
    failures_.assign(tape);
  }

  void begin() override {
    inner_.begin();
    failures_.begin_run();
    refused_.clear();
  }
  bool hears_all() const override { return inner_.hears_all(); }
  Sites silent() const override;
  std::uint32_t answer(const Question& question) override;

  /// Returns the steps that failed in the last run, in order.
  const std::vector<RefusedStep>& refused() const { return refused_; }

 private:
  RefusedStep step() const;
  std::uint32_t failure(const Question& question);

  Strategy& inner_;
  TapeIndex failures_;
  const Repair* repair_;
  const World& world_;
  std::vector<RefusedStep> refused_;
};

}  // namespace harness::triaging
