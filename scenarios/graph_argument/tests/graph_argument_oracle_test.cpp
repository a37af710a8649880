// What only this path judges goes red when it should: each fault is planted.
#include <gtest/gtest.h>

#include "harness/pick_replay.h"
#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/script.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Outcome;
using targets::graph_argument::Window;

/// The scenario with another driver, run once.
Outcome run(void (*drive)(harness::Scene&)) {
  harness::Scenario planted = scenario;
  planted.drive = drive;
  harness::Runner runner;
  return runner.run(harness::Case{&planted, 0, {}, &sim(), {}});
}

Script& make_script(harness::Scene& scene) {
  auto* script = scene.world().arena.make<Script>(scene);
  scene.state = script;
  return *script;
}

// ---- values -------------------------------------------------------------------------------------

void read(harness::Scene& scene, bool as_expected) {
  make_script(scene).read({"add_one", as_expected ? 101 : 7, 101, as_expected});
}

TEST(GraphArgumentOracle, TheExpectedValueIsNoFault) {
  EXPECT_FALSE(run([](harness::Scene& scene) { read(scene, true); }).failed());
}

TEST(GraphArgumentOracle, APlantedValueIsAWrongValue) {
  const Outcome outcome = run([](harness::Scene& scene) { read(scene, false); });
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::wrong_value);
  EXPECT_EQ(outcome.faults[0].detail, "7 instead of 101");
}

void recycle(harness::Scene& scene, harness::Label death) {
  Script& script = make_script(scene);
  Fault fault;
  fault.kind = FaultKind::recycled_use;
  fault.death_site = death;
  fault.use_site = "add_one";
  scene.world().history.add(std::move(fault));
  script.read({"saxpy", 7, 101, false});
}

TEST(GraphArgumentOracle, AWrongValueBelongsToTheRecycledUseBeforeIt) {
  const Outcome outcome =
      run([](harness::Scene& scene) { recycle(scene, "Buffer.__dealloc__/R6"); });
  ASSERT_EQ(outcome.faults.size(), 2u);
  EXPECT_EQ(outcome.faults[1].kind, FaultKind::wrong_value);
  EXPECT_EQ(outcome.windows[1], harness::raw(Window::r6));
}

TEST(GraphArgumentOracle, AWrongValueAfterACallersErrorIsTheCallers) {
  const Outcome outcome = run([](harness::Scene& scene) { recycle(scene, "Buffer.close"); });
  EXPECT_TRUE(outcome.faults.empty());
  EXPECT_EQ(outcome.caller_errors.size(), 2u);
}

// ---- what is accepted ---------------------------------------------------------------------------

TEST(GraphArgumentOracle, AClosedStreamThatIsAcceptedIsAFault) {
  const Outcome outcome =
      run([](harness::Scene& scene) { make_script(scene).accepted_closed("Stream"); });
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::r13));
}

TEST(GraphArgumentOracle, AStrangersHandleIsAFault) {
  const Outcome outcome =
      run([](harness::Scene& scene) { make_script(scene).met_stranger("embedded graph"); });
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::recycled_use);
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::r18));
}

TEST(GraphArgumentOracle, AGraphThatKeepsItselfIsTheCallers) {
  const Outcome outcome = run([](harness::Scene& scene) { make_script(scene).closed_cycle(); });
  EXPECT_TRUE(outcome.faults.empty());
  ASSERT_EQ(outcome.caller_errors.size(), 1u);
  EXPECT_EQ(outcome.caller_errors[0].kind, FaultKind::retention);
}

// ---- the contract -------------------------------------------------------------------------------

Fault died_and_used(harness::Label death, harness::Label use) {
  Fault fault;
  fault.object_kind = "device memory";
  fault.death_site = death;
  fault.use_site = use;
  return fault;
}

TEST(GraphArgumentContract, HoldsTheCallerToWhatTheDocumentationSaysAndNoMore) {
  EXPECT_TRUE(is_caller_error(scenario, died_and_used("Buffer.close", "add_one")));
  EXPECT_TRUE(is_caller_error(scenario, died_and_used("Buffer.__dealloc__/R1", "chase")));
  EXPECT_TRUE(is_caller_error(scenario, died_and_used("Buffer.__dealloc__/R1", "captured")));
  EXPECT_FALSE(is_caller_error(scenario, died_and_used("Buffer.__dealloc__/R1", "add_one")));
  EXPECT_FALSE(is_caller_error(scenario, died_and_used("Buffer.close", "Graph.launch")));
}

// A free that nothing orders after a launch is told by its death; a race of the caller's has none.
TEST(GraphArgumentContract, HoldsTheCallerToTheOrderOfHisWorkAndNotOfWhatIsFreedForHim) {
  Fault end = died_and_used("Buffer.__dealloc__/R12", "add_one");
  end.kind = FaultKind::order;
  EXPECT_FALSE(is_caller_error(scenario, end));
  Fault race = died_and_used("", "add_one");
  race.kind = FaultKind::order;
  race.object_kind = "bytes of device memory";
  EXPECT_TRUE(is_caller_error(scenario, race));
}

TEST(GraphArgumentContract, EveryClauseHasASource) {
  for (const harness::ContractClause& clause : kContract) EXPECT_FALSE(clause.source.empty());
}

// ---- windows ------------------------------------------------------------------------------------

struct Met {
  FaultKind kind;
  harness::Label object;
  harness::Label death_site;
  harness::Label use_site;
  Window window;
};

int window_met(const Met& met) {
  harness::World world;
  harness::Scene scene(world);
  const harness::World::Guard guard(world);
  harness::Replay plain;
  world.begin(plain, 100);
  scene.begin(scenario, 0, {});
  Script script(scene);
  scene.state = &script;
  Fault fault;
  fault.kind = met.kind;
  fault.object_kind = met.object;
  fault.death_site = met.death_site;
  fault.use_site = met.use_site;
  return window_of(scene, fault);
}

TEST(GraphArgumentWindows, AreToldByWhatDiedWhereAndWhoMetIt) {
  using enum FaultKind;
  for (const Met& met :
       {Met{use_after_death, "device memory", "Buffer.__dealloc__/R1", "saxpy", Window::r1},
        Met{recycled_use, "device memory", "Buffer.__dealloc__/R12", "saxpy", Window::r12},
        Met{use_after_death, "device memory", "Buffer.close", "saxpy", Window::r3},
        Met{use_after_death, "device memory", "Buffer.close", "Graph.launch", Window::r2},
        Met{use_after_death, "library", "ObjectCode.__dealloc__/R14", "saxpy", Window::r14},
        Met{use_after_death, "embedded graph", "GraphNode.destroy", "launch", Window::r10},
        Met{recycled_use, "embedded graph", "GraphNode.destroy", "launch", Window::r18},
        Met{double_free, "graph", "GraphBuilder.close", "GraphBuilder.close", Window::r19},
        Met{use_after_death, "device memory", "Buffer.__dealloc__/R4", "captured", Window::r4},
        Met{order, "device memory", "Buffer.__dealloc__/R12", "saxpy", Window::r12},
        Met{use_after_death, "graph memory", "Graph.launch", "scratch", Window::r15},
        Met{use_after_death, "interpreter", "exit", "user object destructor", Window::r11},
        Met{api_misuse, "user object destructor", "", "Buffer.__dealloc__/R1", Window::r11}})
    EXPECT_EQ(window_met(met), harness::raw(met.window))
        << met.object.view() << " " << met.death_site.view() << " " << met.use_site.view();
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
