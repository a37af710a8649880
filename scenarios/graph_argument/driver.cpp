// SPDX-License-Identifier: Apache-2.0
// The tasks of a run: a script, and mutators that interfere with it.
//
// The script, Python's main thread, fills its slots with ops. Mutators, more Python threads over
// the same globals, start with the first node. At the end the script drops its graphs, waits, drops
// the rest and waits again: whatever is still alive has leaked. Or the interpreter exits first.
#include <cuda.h>

#include <algorithm>

#include "harness/run/scenario/stage.h"
#include "scenarios/graph_argument/judges/cuda_calls.h"
#include "scenarios/graph_argument/player.h"
#include "scenarios/graph_argument/variants.h"

namespace scenarios::graph_argument {
namespace {

using harness::Scene;
using targets::graph_argument::GraphArgument;
using targets::graph_argument::Setup;
using targets::graph_argument::Status;
using targets::graph_argument::StreamName;

/// The script's last slots, in which it gets to a launch if there was none.
constexpr std::uint32_t kLastSlots = 3;

using Stage = harness::Stage<Judges, Player, Shape>;

// Accepts a closed stream, which cannot be waited for.
template <class Call>
bool insist(Call call) {
  return harness::insist([&] {
    const Status status = call();
    return status == Status::ok || status == Status::closed;
  });
}

bool synchronize(Judges& judges, StreamName stream) {
  return insist([&] { return judges.call<Op::synchronize>(stream); });
}

bool synchronize_device(Judges& judges) {
  return insist([&] { return judges.call<Op::synchronize_device>(); });
}

/// Waits for all streams, which also reads back the results of launches.
void synchronize_all(Judges& judges) {
  for (const StreamName stream : {StreamName::first, StreamName::second, StreamName::fallback})
    synchronize(judges, stream);
}

/// Waits for the device, by `wait`, then for CUDA's thread, then for Python's queue, by `step`.
/// Repeats this while a released object was holding others.
template <class Wait, class Step>
bool settle_by(Judges& judges, Wait wait, Step step) {
  bool all = true;
  for (std::size_t ended = 0, before = ~std::size_t{0}; ended != before;) {
    await_lost(judges.model());
    all = wait() && all;
    before = ended;
    ended = ended_user_objects(judges.model());
    judges.path().process.wait_for_destructors(ended);
    step();
  }
  return wait() && all;
}

bool settle(Judges& judges) {
  return settle_by(
      judges, [&] { return synchronize_device(judges); }, [&] { judges.path().process.idle(); });
}

/// Waits for the device in Python code outside of cuda.core.
bool synchronize_elsewhere(harness::Interpreter& interpreter) {
  const harness::AttachScope attach(interpreter);
  return interpreter.c_call("Device.sync", [&] {
    return interpreter.allow_threads([] { return cuCtxSynchronize(); }) == CUDA_SUCCESS;
  });
}

// The same without calling cuda.core: deferred work must have requested its own pending call. After
// a flood this request may have failed, and only the next call of cuda.core retries it.
bool settle_quietly(Judges& judges) {
  if (judges.model().flooded) return settle(judges);
  harness::Interpreter& interpreter = judges.path().process.interpreter();
  const bool all = settle_by(
      judges, [&] { return synchronize_elsewhere(interpreter); },
      [&] {
        const harness::AttachScope attach(interpreter);
        interpreter.step("NOP");
      });
  if (all) judges.finished_all();
  return all;
}

// Serves a flooded queue by steps of the main thread.
bool serve_flood(Judges& judges) {
  constexpr int kSteps = 8;
  for (int step = 0; step < kSteps; ++step) judges.path().process.idle();
  return settle(judges);
}

// Judges while all variables are still set: unusable objects must be gone already.
void judge_in_place(Judges& judges) {
  if (!has_lost(judges.model()) || !settle_quietly(judges)) return;
  if (judges.model().flooded && !serve_flood(judges)) return;
  judge_settled(judges.model());
}

void clear_up(Scene& scene, Judges& judges) {
  const GraphArgument& path = judges.path();
  const harness::SiteScope site(scene.world().scheduler, "clear_up");
  synchronize_all(judges);
  judge_in_place(judges);
  path.globals.drop_all(true);
  judges.call<Op::collect>(2u);
  if (settle_quietly(judges) && !judges.model().flooded) judge_settled(judges.model());
  path.globals.drop_all(false);
  judges.call<Op::collect>(2u);
  if (!settle_quietly(judges)) return;
  judge_runs(judges.model(), true);
  if ((scene.observed().ops & ops(Op::begin_building)) != 0) judge_captures(scene);
  if (!judges.model().keeps_itself) scene.mark_quiescent();
}

// Launches may call Python, which needs the interpreter. A closed stream cannot be waited for
// alone, and the device cannot be waited for during a capture.
bool wait_for_launches(Judges& judges) {
  synchronize_all(judges);
  return judges.call<Op::synchronize>(StreamName::second) != Status::closed ||
         synchronize_device(judges);
}

// Py_Finalize with graphs that were just dropped: CUDA's thread runs destructors later. A script
// that cannot wait for its launches does not exit like this.
bool exit_early(Scene& scene, Judges& judges) {
  const GraphArgument& path = judges.path();
  const harness::SiteScope site(scene.world().scheduler, "exit");
  if (!wait_for_launches(judges)) return false;
  path.globals.drop_all(false);
  judges.model().finalizing = true;
  path.process.finalize();
  path.process.wait_for_destructors(ended_user_objects(judges.model()));
  return true;
}

void run_script(Stage& stage) {
  for (std::uint32_t slot = 0; slot < stage.shape.script_slots; ++slot)
    stage.player.take_slot({0, slot});
  for (std::uint32_t last = 0; last < kLastSlots; ++last)
    stage.player.take_last_slot(stage.shape.script_slots + last);
  stage.player.use().begin();
  stage.team.await_others();
  const bool exits = harness::Chooser(stage.scene).one_in(8);
  if (!exits || !exit_early(stage.scene, stage.judges)) clear_up(stage.scene, stage.judges);
  stage.judges.model().ended = true;
}

void run_mutator(Stage& stage, std::uint32_t task) {
  stage.player.use().wait();
  for (std::uint32_t slot = 0; slot < stage.shape.mutator_slots; ++slot)
    stage.player.take_slot({task, slot});
  // It may have its own default stream.
  synchronize(stage.judges, StreamName::fallback);
}

Setup set_up(Scene& scene, Judges& judges) {
  using targets::graph_argument::DefaultStream;
  return {.default_stream = static_cast<DefaultStream>(scene.config().values[kDefaultStreamAxis]),
          .reader = &judges,
          .observer = &judges,
          .things = &judges,
          .graphs = &judges,
          .execs = &judges};
}

void configure(harness::Heap& heap, const harness::Config& config) {
  const bool at_eval_breaker = config.values[kCollectorAxis] == 0;
  heap.configure({.gil = true,
                  .collect_at = at_eval_breaker ? harness::CollectAt::eval_breaker
                                                : harness::CollectAt::allocation});
}

/// Makes the objects that every script starts with, so that all strategies are closer to the
/// windows.
void begin(Judges& judges) {
  judges.call<Op::load_module>(kFirstModule);
  judges.call<Op::create_definition>(kFirstDefinition);
  judges.call<Op::allocate>(kFirstBuffer, StreamName::first, kFirstValue);
  judges.call<Op::allocate>(kFirstBuffer + 1, StreamName::first, kFirstValue + kBlockStride);
}

}  // namespace

void drive(Scene& scene) { drive_shaped(scene, Shape{}); }

void drive_shaped(Scene& scene, const Shape& shape) {
  harness::Scheduler& scheduler = scene.world().scheduler;
  configure(scene.world().heap, scene.config());
  auto* stage = scheduler.arena().make<Stage>(scene, shape, themes());
  scene.set_state(stage->judges);
  const Setup setup = set_up(scene, stage->judges);
  const Maker make = shape.make != nullptr ? shape.make : maker_of(scene.variant());
  stage->judges.set_path(make(stage->runtime, setup));
  stage->judges.path().process.init();
  stage->judges.begins();
  scene.mark_baseline();
  begin(stage->judges);
  const harness::TaskId main = stage->team.spawn(
      [stage] { run_script(*stage); }, [stage](std::uint32_t task) { run_mutator(*stage, task); });
  stage->judges.path().process.interpreter().set_main(main);
  stage->judges.model().calls.set_main(main);
}

}  // namespace scenarios::graph_argument
