// SPDX-License-Identifier: Apache-2.0
// Follower: a strategy that forwards choices, and records a trail of the run: its choices, and the
// events between them. The seam adds the calls.
#pragma once

#include "harness/core/history/trail.h"
#include "harness/core/pick/pick.h"
#include "harness/core/world.h"

namespace harness::triaging {

/// Ownership: borrows the strategy that makes the choices, the world of the runs and the trail.
class Follower final : public Strategy {
 public:
  Follower(Strategy& inner, const World& world, Trail& trail)
      : inner_(inner), world_(world), trail_(trail) {}

  void begin() override {
    inner_.begin();
    event_count_ = 0;
  }
  bool hears_all() const override { return true; }
  std::uint32_t answer(const Question& question) override;
  /// Ends a run: takes the events after the last choice.
  void take_events();

 private:
  Strategy& inner_;
  const World& world_;
  Trail& trail_;
  std::size_t event_count_ = 0;  ///< Number of events in the trail.
};

}  // namespace harness::triaging
