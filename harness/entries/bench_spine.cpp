// bench_spine: what the spine costs, against a bare fiber loop in the same binary and run.
//
// M2: two tasks, 7 steps: one makes an object, stores a reference to it and later uses it; the other
// drops the object. M3: two tasks of 100 atomic steps each. The bare loops do the same switches with
// nothing around them: no questions, no tape, no waiting, no ledger, no history.
#include <benchmark/benchmark.h>

#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <memory>

#include "harness/host.h"
#include "harness/sync.h"
#include "harness/tables.h"

namespace {

namespace ctx = boost::context::detail;
using namespace harness;

// ---- the bare fiber loop ------------------------------------------------------------------------

/// Tasks that step and switch, chosen by a xorshift generator: as little as a scheduler can be.
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

// ---- the same on the spine ----------------------------------------------------------------------

/// Everything a run needs below a scenario.
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
      if (stored && spine.ledger.alive(stored.birth()))
        benchmark::DoNotOptimize(stored->value);
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

void m2_bare(benchmark::State& state) { bare(state, {4, 3}); }
void m3_bare(benchmark::State& state) { bare(state, {100, 100}); }

BENCHMARK(m2_bare);
BENCHMARK(spine_m2)->Name("m2");
BENCHMARK(m3_bare);
BENCHMARK(spine_m3)->Name("m3");

}  // namespace
