// SPDX-License-Identifier: Apache-2.0
// Orders on a path of a few lines: accesses that happen too early, and that only a later execution
// repairs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cuda.h>

#include "harness/core/fault/kinds.h"
#include "harness/core/intervention/order.h"
#include "harness/core/pick/sample.h"
#include "harness/core/shared/shared.h"
#include "harness/run/scenario/scenario.h"
#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/toy_scenario.h"
#include "harness/search/triage/candidates.h"
#include "harness/search/triage/held_up.h"
#include "harness/search/triage/trial.h"

namespace harness {
namespace {

namespace toy = testing::toy;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Bugs by variant: two acts in the wrong order.
enum Bug : std::size_t {
  early_read,
  any_read,
  early_drop,
  needed_drop,
  other_drop,
  circle,
  race,
  graph_race
};

struct Desk {
  explicit Desk(Scheduler& scheduler)
      : note(scheduler, "note"),
        left(scheduler, "left lock"),
        right(scheduler, "right lock"),
        dropped(scheduler, 1, "drop") {}

  Shared<std::uint64_t> note;
  Mutex left;
  Mutex right;
  Latch dropped;
  BirthId leaf = BirthId::none;
};

void receive(Scene& scene, Desk& desk) {
  const SiteScope site(scene.world().scheduler, "receive");
  scene.expect("note", desk.note.read(Generation{1}), 7);
}

void send(Scene& scene, Desk& desk) {
  const SiteScope site(scene.world().scheduler, "send");
  desk.note.write(7, Generation{1});
}

/// Another reader uses the note before and after.
void send_between_others(Scene& scene, Desk& desk) {
  const SiteScope site(scene.world().scheduler, "send");
  desk.note.write(5, Generation{2});
  desk.note.write(7, Generation{1});
  desk.note.write(9, Generation{2});
}

/// Nothing here could keep the leaf: only the ledger knows of it.
void drop(Scene& scene, Desk& desk) {
  const SiteScope site(scene.world().scheduler, "drop");
  scene.world().scheduler.turn({});
  if (scene.world().ledger.alive(desk.leaf)) scene.world().ledger.died(desk.leaf);
}

void use(Scene& scene, Desk& desk) {
  const SiteScope site(scene.world().scheduler, "use");
  scene.world().scheduler.turn({});
  Ledger& ledger = scene.world().ledger;
  if (!ledger.alive(desk.leaf))
    scene.world().history.add(ledger.describe(FaultKind::use_after_free, desk.leaf));
}

void take(Scene& scene, Label name, Mutex& one, Mutex& other) {
  const SiteScope site(scene.world().scheduler, name);
  const LockGuard first(one);
  const LockGuard second(other);
}

void early_task(Scene& scene, Desk& desk) {
  const ActivationScope slot(scene.world().scheduler, 0, 0);
  scene.exercised();
  scene.world().scheduler.note(EventKind::op, "first");
  scene.world().scheduler.turn({});
  switch (scene.variant()) {
    case early_read:
      return receive(scene, desk);
    case any_read:
      return send_between_others(scene, desk);
    case early_drop:
    case other_drop:
      return drop(scene, desk);
    case needed_drop:
      drop(scene, desk);
      return desk.dropped.count_down();
    default:
      return take(scene, "write", desk.left, desk.right);
  }
}

void late_task(Scene& scene, Desk& desk) {
  const ActivationScope slot(scene.world().scheduler, 1, 0);
  scene.world().scheduler.note(EventKind::op, "second");
  scene.world().scheduler.turn({});
  switch (scene.variant()) {
    case early_read:
      return send(scene, desk);
    case any_read:
      return receive(scene, desk);
    case needed_drop:
      desk.dropped.wait();
      return use(scene, desk);
    case other_drop:  // It may have dropped it itself.
      if (scene.pick(Site::order, 2) != 0) drop(scene, desk);
      return use(scene, desk);
    case early_drop:
      return use(scene, desk);
    default:
      return take(scene, "read", desk.right, desk.left);
  }
}

// ---- on the device ------------------------------------------------------------------------------

CUstream new_stream() {
  CUstream stream = nullptr;
  EXPECT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  return stream;
}

void set(Scene& scene, Label name, CUdeviceptr address, CUstream stream) {
  const SiteScope site(scene.world().scheduler, name);
  EXPECT_EQ(cuMemsetD8Async(address, 1, 64, stream), CUDA_SUCCESS);
}

void launch_set(Scene& scene, Label name, CUdeviceptr address, CUstream stream, CUcontext context) {
  const SiteScope site(scene.world().scheduler, name);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode node = nullptr;
  CUDA_MEMSET_NODE_PARAMS params{.dst = address, .pitch = 0, .value = 1, .elementSize = 1};
  params.width = 64;
  params.height = 1;
  EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, context), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
}

void work(Scene& scene) {
  const ActivationScope slot(scene.world().scheduler, 0, 0);
  scene.exercised();
  CUcontext context = nullptr;
  CUdeviceptr address = 0;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(&address, 64), CUDA_SUCCESS);
  set(scene, "fill", address, new_stream());
  if (scene.variant() == race) set(scene, "clear", address, new_stream());
  if (scene.variant() == graph_race) launch_set(scene, "launch", address, new_stream(), context);
}

void drive(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  const SiteScope site(scheduler, "set_up");
  if (scene.variant() >= race) {
    scheduler.spawn("host", [&scene] { work(scene); });
    return;
  }
  Desk& desk = *scheduler.arena().make<Desk>(scheduler);
  desk.leaf = scene.world().ledger.born("Leaf", 0, 0);
  scheduler.spawn("first", [&scene, &desk] { early_task(scene, desk); });
  scheduler.spawn("second", [&scene, &desk] { late_task(scene, desk); });
}

const Scenario& desks() {
  static const Scenario kScenario = toy::hoarding("desks", drive);
  return kScenario;
}

Suspect suspect(Bug bug, Tape tape = {}) {
  const DeviceInfo& device = bug >= race ? *find(tables::devices(), "sim") : toy::no_device;
  return {{&desks(), bug, config_at(desks(), 0), &device, std::move(tape)}, ""};
}

Repair order(Label late, Label early, Label object) {
  return {RepairKind::order, object, {}, late, early};
}

/// The repair that explains one finding.
Repair cause_of(Runner& runner, const Suspect& one) {
  const Triage found = triage(runner, std::vector{one});
  EXPECT_THAT(found.unexplained, IsEmpty());
  return found.causes.empty() ? Repair{} : found.causes[0].repair;
}

/// Tapes of runs that fail, drawn at random.
std::vector<Suspect> drawn(Runner& runner, Bug bug, std::size_t count) {
  strategies::RandomWalk walk(5);
  std::vector<Suspect> found;
  for (std::size_t run = 0; found.size() < count && run < 1000; ++run) {
    const Case one = suspect(bug).the_case;
    const Outcome& outcome = runner.run(*one.scenario, bug, one.config, *one.device, walk);
    if (outcome.failed()) found.push_back(suspect(bug, outcome.tape));
  }
  EXPECT_THAT(found, SizeIs(count));
  return found;
}

// ---- faults that an order explains --------------------------------------------------------------

TEST(TriageOrder, AReaderWaitsForItsWriter) {
  Runner runner;
  EXPECT_EQ(cause_of(runner, suspect(early_read)), order("receive", "send", "note"));
}

// To keep the note for its reader would remove the late read, and to wait for it the early one.
TEST(TriageOrder, AnOrderRepairsEarlyAndLateReaders) {
  Runner runner;
  const Repair in_order = order({}, {}, "note");
  EXPECT_EQ(cause_of(runner, suspect(any_read)), in_order);
  triaging::Trial trial(runner, {});
  triaging::Finding finding = trial.look(0, suspect(any_read))->finding;
  trial.learn_writers(finding);
  EXPECT_TRUE(trial.removes(in_order, finding));
  EXPECT_FALSE(trial.passes(order("receive", "send", "note"), finding)) << "its writer is done";
  const Repair hold{RepairKind::hold, "note", "send", {}, "receive"};
  EXPECT_TRUE(trial.passes(hold, finding));
  EXPECT_FALSE(trial.stays_away(hold, finding));
}

TEST(TriageOrder, AnEndBeforeAUseIsMovedAfterIt) {
  Runner runner;
  EXPECT_EQ(cause_of(runner, suspect(early_drop)), order("drop", "use", "Leaf"));
}

TEST(TriageOrder, ALockCycleIsRepairedByOrderingTheTasks) {
  Runner runner;
  EXPECT_EQ(cause_of(runner, suspect(circle)), order("read", "write", "left lock"));
}

TEST(TriageOrder, WorkThatRacesWaitsForWorkOfAnotherStream) {
  Runner runner;
  EXPECT_EQ(cause_of(runner, suspect(race)), order("clear", "fill", "bytes of device memory"));
}

TEST(TriageOrder, ALaunchOfAGraphWaitsForWorkOfAnotherStream) {
  Runner runner;
  EXPECT_EQ(cause_of(runner, suspect(graph_race)),
            order("launch", "fill", "bytes of device memory"));
}

TEST(TriageOrder, OnlyAnOrderRemovesThem) {
  Runner runner;
  triaging::Trial trial(runner, {});
  for (const Bug bug : {early_read, early_drop, circle, race}) {
    triaging::Trial::Look look = *trial.look(0, suspect(bug));
    trial.keep_working(look);
    EXPECT_THAT(look.candidates, IsEmpty()) << bug;
    trial.keep_orders(look);
    EXPECT_THAT(look.candidates, Not(IsEmpty())) << bug;
  }
}

// ---- orders that do not help --------------------------------------------------------------------

// The use waits for the drop by itself.
TEST(TriageOrder, AnImpossibleOrderIsNotARepair) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(needed_drop))->finding;
  EXPECT_THAT(finding.ways, Not(IsEmpty()));
  for (const triaging::Way& way : finding.ways) {
    EXPECT_FALSE(trial.passes(way.repair, finding)) << in_words(way.repair);
    const Case& one = finding.the_case;
    Replay replay(one.tape);
    triaging::HeldUp held(replay, way.turns, runner.world());
    runner.run(*one.scenario, one.variant, one.config, *one.device, held);
    EXPECT_FALSE(held.was_kept());
  }
  EXPECT_THAT(triage(runner, std::vector{suspect(needed_drop)}).unexplained, SizeIs(1));
}

// The second waits for the first by itself, which is let go when nothing else can continue.
TEST(TriageOrder, SeveralOrdersAreAllEnforced) {
  Runner runner;
  const Case one = suspect(needed_drop).the_case;
  const triaging::Turns had{slot_name(1, 0), slot_name(0, 0), {}, triaging::Turns::kAllAtRest};
  const triaging::Turns other{slot_name(0, 0), slot_name(1, 0), {}, triaging::Turns::kAllAtRest};
  for (const bool with_other : {false, true}) {
    std::vector<triaging::Turns> turns{had};
    if (with_other) turns.insert(turns.begin(), other);
    Replay replay(one.tape);
    triaging::HeldUp held(replay, turns, runner.world());
    runner.run(*one.scenario, one.variant, one.config, *one.device, held);
    EXPECT_EQ(held.was_kept(), !with_other);
  }
}

TEST(TriageOrder, AnOrderThatHelpsOnlyTheRecordedScheduleIsNotARepair) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(other_drop))->finding;
  EXPECT_TRUE(trial.passes(order("drop", "use", "Leaf"), finding));
  EXPECT_FALSE(trial.stays_away(order("drop", "use", "Leaf"), finding));
  EXPECT_THAT(triage(runner, std::vector{suspect(other_drop)}).unexplained, SizeIs(1));
}

TEST(TriageOrder, AnOrderAfterAnUnknownWriterRepairsNothing) {
  Runner runner;
  triaging::Trial trial(runner, {});
  triaging::Finding finding = trial.look(0, suspect(early_read))->finding;
  trial.learn_writers(finding);
  EXPECT_TRUE(trial.passes(order("receive", "send", "note"), finding));
  EXPECT_FALSE(trial.passes(order("receive", "stranger", "note"), finding));
  EXPECT_FALSE(trial.passes(order("receive", "send", "another"), finding));
}

TEST(TriageOrder, OnlyTheNamedActsAreDelayed) {
  const Order one("note", "receive", "send");
  EXPECT_TRUE(one.delays("note", "receive"));
  EXPECT_FALSE(one.delays("note", "send"));
  EXPECT_FALSE(one.delays("book", "receive"));
}

TEST(TriageOrder, AnOrderCountsOnlyTheNamedActs) {
  Order one("note", "receive", "send");
  one.kept("stranger");
  EXPECT_EQ(one.kept_count(), 0u);
  one.kept("send");
  EXPECT_EQ(one.kept_count(), 1u);
  EXPECT_EQ(one.by(), Label("send"));
}

TEST(TriageOrder, AMoreGeneralOrderCostsMoreAndAnyOrderMoreThanAHold) {
  const Repair named = order("receive", "send", "note");
  Repair open = named;
  open.object = {};
  EXPECT_LT(triaging::cost_of(named), triaging::cost_of(open));
  EXPECT_LT(triaging::cost_of(open), triaging::cost_of(order({}, "send", {})));
  EXPECT_LT(triaging::cost_of({RepairKind::hold, {}, {}, {}, {}}), triaging::cost_of(named));
}

// ---- its name, and its runs ---------------------------------------------------------------------

TEST(TriageOrder, SchedulesOfOneBugHaveOneCause) {
  for (const Bug bug : {early_read, early_drop, circle}) {
    Runner runner;
    const Repair plain = cause_of(runner, suspect(bug));
    const std::vector<Suspect> others = drawn(runner, bug, 8);
    const Triage found = triage(runner, others);
    EXPECT_THAT(found.unexplained, IsEmpty());
    ASSERT_THAT(found.causes, SizeIs(1));
    EXPECT_EQ(found.causes[0].repair, plain);
    EXPECT_THAT(found.causes[0].members, SizeIs(others.size()));
    for (const Suspect& one : others) {
      EXPECT_EQ(cause_of(runner, one), plain);
      EXPECT_EQ(least_repair(runner, one).repair, plain);
    }
  }
}

TEST(TriageOrder, TheTapeOfAnOrderedRunReplaysIt) {
  Runner runner;
  triaging::Trial trial(runner, {});
  const triaging::Finding finding = trial.look(0, suspect(early_drop))->finding;
  ASSERT_THAT(finding.ways, Not(IsEmpty()));
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    Sample sample;
    sample.assign({}, seed);
    triaging::HeldUp held(sample, finding.ways.back().turns, runner.world());
    const Case& one = finding.the_case;
    const auto run = [&](Strategy& strategy) -> const Outcome& {
      return runner.run(*one.scenario, one.variant, one.config, *one.device, strategy);
    };
    const Outcome& outcome = run(held);
    EXPECT_FALSE(outcome.failed());
    Replay replay(outcome.tape);
    const std::uint64_t trace = runner.trace_hash();
    triaging::HeldUp again(replay, finding.ways.back().turns, runner.world());
    run(again);
    EXPECT_EQ(runner.trace_hash(), trace) << seed;
  }
}

TEST(TriageOrder, IsDescribedInWords) {
  EXPECT_EQ(in_words(order("receive", "send", "note")),
            "have receive wait until send is done with note");
  EXPECT_EQ(in_words(order("receive", "send", {})),
            "have receive wait until send is done with everything");
  EXPECT_EQ(in_words(order({}, "send", {})), "have all wait until send is done with everything");
}

TEST(TriageOrder, RepairsOneCase) {
  Runner runner;
  const Remedy remedy = least_repair(runner, suspect(early_read));
  EXPECT_TRUE(remedy.found);
  EXPECT_EQ(remedy.repair, order("receive", "send", "note"));
  const auto working = explain(runner, suspect(early_read)).repairs;
  ASSERT_THAT(working, Not(IsEmpty()));
  EXPECT_EQ(working[0].repair, remedy.repair);
  EXPECT_TRUE(repair_that_still_works(runner, suspect(early_read), in_words(remedy.repair)));
  EXPECT_TRUE(removes(runner, remedy.repair, suspect(early_read), 0));
}

TEST(TriageOrder, DoesNotAffectLaterRuns) {
  Runner runner;
  for (const Bug bug : {early_read, early_drop, circle, race}) {
    const Suspect one = suspect(bug);
    runner.run(one.the_case);
    const std::uint64_t before = runner.trace_hash();
    triage(runner, std::vector{one});
    runner.run(one.the_case);
    EXPECT_EQ(runner.trace_hash(), before);
  }
}

}  // namespace
}  // namespace harness
