// SPDX-License-Identifier: Apache-2.0
// RunTasks: a scheduler with everything under it, for tests that need tasks and no scenario.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/core/host.h"
#include "harness/core/sync.h"

namespace harness::testing {

/// Answers every question with its last option: as far from plain as it gets.
class Contrary : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override { return question.option_count - 1; }
};

class Plain : public Strategy {
 public:
  std::uint32_t answer(const Question&) override { return 0; }
};

/// Uniform over the options; same seed, same run.
class Dice : public Strategy {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint32_t answer(const Question& question) override {
    state_ = mix(state_, 1);
    return static_cast<std::uint32_t>(state_ % question.option_count);
  }

 private:
  std::uint64_t state_;
};

/// Answers schedule questions with "anyone but the one who is there", in turn; the rest by default.
class Alternate : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    return question.site == Site::schedule ? 1 : 0;
  }
};

/// The core up to host objects, begun and ready to spawn on.
struct Stage {
  Arena arena;
  Picker picker;
  History history;
  Scheduler scheduler{arena, picker, history};
  Ledger ledger{scheduler};
  Host host{ledger};

  /// Begins a run: spawn, then scheduler.run().
  void begin(Strategy& strategy, Tick turn_limit = 10'000) {
    arena.reset();
    picker.begin(strategy);
    history.begin();
    scheduler.begin(turn_limit);
    ledger.begin();
    host.begin();
  }

  /// Runs `body` as the only task.
  template <class Body>
  Ending run(Strategy& strategy, Body body) {
    begin(strategy);
    scheduler.spawn("main", body);
    return scheduler.run();
  }

  Fault only_fault() const {
    return history.faults().size() == 1 ? history.faults().front() : Fault{};
  }
};

}  // namespace harness::testing
