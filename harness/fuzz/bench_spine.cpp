// SPDX-License-Identifier: Apache-2.0
// bench_spine: the cost of the spine, compared with a bare fiber loop in the same binary and run.
//
// M2: two tasks, 7 steps: one creates an object, stores a reference to it and uses it later; the
// other drops the object. M3: two tasks of 100 atomic steps each. The bare loops make the same
// switches without choices, tape, waiting, ledger or history. `turn` and `exchange` show how the
// cost of a turn grows with the number of tasks; items are turns.
#include <benchmark/benchmark.h>

#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <deque>
#include <memory>
#include <memory_resource>

#include "harness/core/host.h"
#include "harness/core/shared/shared.h"
#include "harness/core/sync.h"
#include "harness/run/tables.h"

namespace {

namespace ctx = boost::context::detail;
using namespace harness;

// ---- the bare fiber loop ------------------------------------------------------------------------

/// Tasks that step and switch, selected by a xorshift generator: a minimal scheduler.
class BareLoop {
 public:
  static constexpr int kTaskCount = 2;

  explicit BareLoop(std::array<int, kTaskCount> steps) : steps_(steps) {
    for (auto& stack : stacks_) stack = std::make_unique<std::byte[]>(kStackBytes);
  }

  void run() {
    for (int i = 0; i < kTaskCount; ++i) {
      tasks_[i] = ctx::make_fcontext(stacks_[i].get() + kStackBytes, kStackBytes, enter);
      left_[i] = steps_[i];
    }
    live_ = kTaskCount;
    while (live_ > 0) {
      const int task = live_ == kTaskCount ? pick() : (left_[0] >= 0 ? 0 : 1);
      current_ = task;
      tasks_[task] = ctx::jump_fcontext(tasks_[task], this).fctx;
    }
  }

 private:
  static constexpr std::size_t kStackBytes = 64 * 1024;

  static void enter(ctx::transfer_t transfer) {
    auto* self = static_cast<BareLoop*>(transfer.data);
    const int task = self->current_;
    while (self->left_[task]-- > 0) transfer = ctx::jump_fcontext(transfer.fctx, nullptr);
    --self->live_;
    ctx::jump_fcontext(transfer.fctx, nullptr);
  }

  int pick() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int>(state_ >> 33 & 1);
  }

  std::array<int, kTaskCount> steps_;
  std::array<int, kTaskCount> left_{};
  std::array<std::unique_ptr<std::byte[]>, kTaskCount> stacks_;
  std::array<ctx::fcontext_t, kTaskCount> tasks_{};
  int live_ = 0;
  int current_ = 0;
  std::uint64_t state_ = 88172645463325252;
};

void bare(benchmark::State& state, std::array<int, BareLoop::kTaskCount> steps) {
  BareLoop loop(steps);
  for (auto _ : state) loop.run();
  state.SetItemsProcessed(state.iterations());
}

// ---- the same work on the spine -----------------------------------------------------------------

/// The parts that a run needs below a scenario.
struct Spine {
  Arena arena;
  Picker picker;
  History history;
  Scheduler scheduler{arena, picker, history};
  Ledger ledger{scheduler};
  Host host{ledger};
  std::unique_ptr<Strategy> strategy = find(tables::strategies(), "random_walk")->make(1);

  void begin() {
    arena.reset();
    picker.begin(*strategy);
    history.begin();
    scheduler.begin(100'000);
    ledger.begin();
    host.begin();
  }
};

struct Pack {
  int value;
};

void spine_m2(benchmark::State& state) {
  Spine spine;
  Owned<Pack> owner;
  Borrowed<Pack> stored;
  for (auto _ : state) {
    spine.begin();
    spine.scheduler.spawn("user", [&] {
      constexpr Access kStep{1, AccessKind::write};
      spine.scheduler.turn(kStep);
      stored = owner.borrow();
      spine.scheduler.turn(kStep);
      spine.scheduler.turn(kStep);
      if (stored && spine.ledger.alive(stored.birth())) benchmark::DoNotOptimize(stored->value);
    });
    spine.scheduler.spawn("owner", [&] {
      constexpr Access kStep{1, AccessKind::write};
      spine.scheduler.turn(kStep);
      spine.scheduler.turn(kStep);
      owner.reset();
    });
    owner = spine.host.make<Pack>("Pack", 7);
    spine.scheduler.run();
    owner.reset();
  }
  state.SetItemsProcessed(state.iterations());
}

void spine_m3(benchmark::State& state) {
  Spine spine;
  for (auto _ : state) {
    spine.begin();
    Atomic<int> counter(spine.scheduler);
    for (int task = 0; task < 2; ++task)
      spine.scheduler.spawn("adder", [&] {
        for (int i = 0; i < 100; ++i) counter.fetch_add(1);
      });
    spine.scheduler.run();
  }
  state.SetItemsProcessed(state.iterations());
}

/// `turn/N`: the cost of one turn with N runnable tasks.
void spine_turn(benchmark::State& state) {
  constexpr std::int64_t kTurns = 4096;
  Spine spine;
  const std::int64_t tasks = state.range(0);
  for (auto _ : state) {
    spine.begin();
    for (std::int64_t i = 0; i < tasks; ++i)
      spine.scheduler.spawn("rank", [&spine, i, tasks] {
        const Access step{static_cast<Resource>(i), AccessKind::write};
        for (std::int64_t turn = 0; turn < kTurns / tasks; ++turn) spine.scheduler.turn(step);
      });
    spine.scheduler.run();
  }
  state.SetItemsProcessed(state.iterations() * kTurns);
}

/// `exchange/N`: N ranks, each with a progress daemon that sleeps until its word is written, write
/// to each other's words in a segment. Measures the cost of a turn while other tasks wait.
void spine_exchange(benchmark::State& state) {
  constexpr std::int64_t kRounds = 64;
  Spine spine;
  const auto ranks = static_cast<std::size_t>(state.range(0));
  std::uint64_t turns = 0;
  for (auto _ : state) {
    spine.begin();
    std::pmr::deque<Shared<std::uint64_t>> words(spine.arena.resource());
    for (std::size_t i = 0; i < ranks; ++i) words.emplace_back(spine.scheduler, Label("word"));
    for (std::size_t i = 0; i < ranks; ++i) {
      const ProcessScope process(spine.scheduler, static_cast<ProcessId>(i));
      spine.scheduler.spawn("rank", [&words, i, ranks] {
        for (std::int64_t round = 0; round < kRounds; ++round)
          for (std::size_t peer = 1; peer < ranks; ++peer)
            words[(i + peer) % ranks].update([](std::uint64_t value) { return value + 1; });
      });
      spine.scheduler.spawn_daemon("progress", [&spine, &words, i] {
        for (;; spine.scheduler.pause()) benchmark::DoNotOptimize(words[i].read());
      });
    }
    spine.scheduler.run();
    turns += spine.scheduler.now();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(turns));
}

void m2_bare(benchmark::State& state) { bare(state, {4, 3}); }
void m3_bare(benchmark::State& state) { bare(state, {100, 100}); }

BENCHMARK(m2_bare);
BENCHMARK(spine_m2)->Name("m2");
BENCHMARK(m3_bare);
BENCHMARK(spine_m3)->Name("m3");
BENCHMARK(spine_turn)->Name("turn")->DenseRange(2, 16, 2);
BENCHMARK(spine_exchange)->Name("exchange")->DenseRange(2, 8, 2);

}  // namespace
