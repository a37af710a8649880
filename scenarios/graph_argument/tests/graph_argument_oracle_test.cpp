// SPDX-License-Identifier: Apache-2.0
// The judges that only this path has report a *path* with a bug: each test breaks a policy, or the
// script beneath it, in one place.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/search/tests/corpus.h"
#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/judges/judges.h"
#include "scenarios/graph_argument/tests/graph_argument_broken.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

// ---- values -------------------------------------------------------------------------------------

TEST(GraphArgumentOracle, OnlyBrokenPoliciesAreReported) {
  for (const Program& program : {plain_program(), changes(), closes(), holds_up()})
    EXPECT_EQ(outcome_of<RetainPerNode>(program).faults, std::vector<Fault>());
}

struct GivesOthers : ScriptObjects {
  using ScriptObjects::ScriptObjects;
  Status allocate(Variable into, StreamName stream, std::int32_t value) override {
    return ScriptObjects::allocate(into, stream, value + 1);
  }
};

TEST(GraphArgumentOracle, ABlockWithOtherValuesIsAWrongValue) {
  const Outcome outcome = outcome_of<RetainPerNode, GivesOthers>(plain_program());
  ASSERT_FALSE(outcome.faults.empty());
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::wrong_value);
  EXPECT_EQ(outcome.faults[0].object_kind, Label("add_one"));
  EXPECT_EQ(outcome.faults[0].detail, "102 instead of 101");
}

/// Overwrites the bytes at `offset` of the first buffer's block.
template <std::size_t offset>
struct Scribbles : ScriptExecutables {
  using ScriptExecutables::ScriptExecutables;
  Status launch(Variable graph, StreamName stream) override {
    const Status status = ScriptExecutables::launch(graph, stream);
    const std::int32_t wrong = 7;
    for (const harness::Life& life : harness::World::current()->ledger.lives())
      if (life.kind == Label("device memory"))
        return cuMemcpyHtoD(life.address + offset, &wrong, sizeof wrong), status;
    return status;
  }
};

TEST(GraphArgumentOracle, EveryFieldOfABlockIsCompared) {
  const auto field = [](const Outcome& outcome) {
    for (const Fault& fault : outcome.faults)
      if (fault.kind == FaultKind::wrong_value) return fault.object_kind;
    return Label();
  };
  using targets::graph_argument::Block;
  EXPECT_EQ(field(outcome_of<RetainPerNode, Scribbles<offsetof(Block, in)>>(plain_program())),
            Label("in"));
  EXPECT_EQ(field(outcome_of<RetainPerNode, Scribbles<offsetof(Block, mid)>>(plain_program())),
            Label("mid"));
  EXPECT_EQ(field(outcome_of<RetainPerNode, Scribbles<offsetof(Block, out)>>(plain_program())),
            Label("add_one"));
  EXPECT_EQ(field(outcome_of<RetainPerNode, Scribbles<offsetof(Block, next)>>(plain_program())),
            Label("next"));
}

// ---- accepted calls -----------------------------------------------------------------------------

struct AcceptsClosed : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  bool refuses_closed() const override { return false; }
};

TEST(GraphArgumentOracle, AcceptingAClosedStreamIsAFault) {
  const Outcome outcome =
      outcome_of<AcceptsClosed>(Program().script(Op::close_stream).script(Op::allocate, {0, 1}));
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::api_misuse);
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::stream_or_event_closed));
}

/// Accepts it without a report.
struct AcceptsQuietly : ScriptObjects {
  using ScriptObjects::ScriptObjects;
  Status allocate(Variable into, StreamName, std::int32_t value) override {
    return ScriptObjects::allocate(into, StreamName::first, value);
  }
};

TEST(GraphArgumentOracle, SilentlyAcceptingAClosedStreamIsAFault) {
  const Outcome outcome = outcome_of<RetainPerNode, AcceptsQuietly>(
      Program().script(Op::close_stream).script(Op::allocate, {0, 1}));
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::api_misuse);
}

struct SetsNoTombstones : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  bool sets_tombstones() const override { return false; }
};

TEST(GraphArgumentOracle, AForeignHandleIsAFault) {
  const auto programs = harness::testing::read_corpus(scenario, "programs");
  harness::Case the_case = programs.at("handle_reused").the_case;
  harness::Runner runner;
  const harness::Scenario broken = broken_scenario<SetsNoTombstones>();
  the_case.scenario = &broken;
  the_case.variant = variant_named("retain_per_node");
  const harness::Proof proof = harness::prove(runner, the_case, 1, {.run_limit = 20'000});
  EXPECT_TRUE(proof.failed);
}

TEST(GraphArgumentOracle, AReferenceCycleThroughAGraphIsACallerError) {
  const auto programs = harness::testing::read_corpus(scenario, "programs");
  harness::Runner runner;
  harness::Case the_case = programs.at("reference_cycle").the_case;
  the_case.variant = variant_named("retain_per_node");
  const Outcome& outcome = runner.run(the_case);
  EXPECT_TRUE(outcome.faults.empty());
  EXPECT_TRUE(std::any_of(
      outcome.caller_errors.begin(), outcome.caller_errors.end(),
      [](const Fault& fault) { return fault.object_kind == Label("reference cycle"); }));
}

// ---- service ------------------------------------------------------------------------------------

struct RefusesNodes : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  Status prepare(GraphBox&, const Owners&, Keeping*&) override { return Status::driver_error; }
};

struct RefusesExecutables : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  CUresult instantiate(GraphBox&, CUgraphExec&, Keeping*&) override {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
};

struct RefusesUpdates : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  CUresult update(ExecBox&, GraphBox&) override { return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE; }
};

/// Returns name_error from every launch.
struct FindsNothing : ScriptExecutables {
  using ScriptExecutables::ScriptExecutables;
  Status launch(Variable, StreamName) override { return Status::name_error; }
};

struct SaysClosed : ScriptExecutables {
  using ScriptExecutables::ScriptExecutables;
  Status instantiate(Variable, Variable) override { return Status::closed; }
};

template <class Policy, class... Parts>
void expect_refused(const Program& program, Label op, const char* answer) {
  const Outcome outcome = outcome_of<Policy, Parts...>(program);
  const auto found =
      std::find_if(outcome.faults.begin(), outcome.faults.end(), [&](const Fault& fault) {
        return fault.kind == FaultKind::refusal && fault.object_kind == op;
      });
  ASSERT_NE(found, outcome.faults.end()) << op.view();
  EXPECT_EQ(found->detail, answer);
}

TEST(GraphArgumentService, APolicyThatRefusesEverythingIsNotSound) {
  expect_refused<RefusesNodes>(plain_program(), "add_kernel", "driver_error");
  expect_refused<RefusesExecutables>(plain_program(), "instantiate", "driver_error");
  expect_refused<RefusesUpdates>(changes(), "update", "update_failed");
  expect_refused<RetainPerNode, FindsNothing>(plain_program(), "launch", "name_error");
  expect_refused<RetainPerNode, SaysClosed>(plain_program(), "instantiate", "closed");
}

struct LaunchesNothing : ScriptExecutables {
  using ScriptExecutables::ScriptExecutables;
  Status launch(Variable, StreamName) override { return Status::ok; }
};

struct DropsAnother : ScriptGlobals {
  using ScriptGlobals::ScriptGlobals;
  Status drop(Variable variable) override { return ScriptGlobals::drop(variable + 1); }
};

struct MakesNothing : ScriptExecutables {
  using ScriptExecutables::ScriptExecutables;
  Status instantiate(Variable, Variable variable) override {
    return ScriptExecutables::instantiate(targets::graph_argument::kNowhere, variable);
  }
};

TEST(GraphArgumentService, APolicyThatDoesNothingIsNotSound) {
  expect_refused<RetainPerNode, LaunchesNothing>(plain_program(), "launch", "ok, and left undone");
  expect_refused<RetainPerNode, MakesNothing>(plain_program(), "instantiate",
                                              "ok, and left undone");
  expect_refused<RetainPerNode, DropsAnother>(Program().script(Op::drop, {1}), "drop",
                                              "ok, and left undone");
}

/// Instantiates an empty graph instead.
struct MakesEmptyExecutables : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  CUresult instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& keeping) override {
    CUgraph empty = nullptr;
    cuGraphCreate(&empty, 0);
    const CUgraph asked = std::exchange(graph.graph, empty);
    const CUresult result = RetainPerNode::instantiate(graph, exec, keeping);
    graph.graph = asked;
    cuGraphDestroy(empty);
    return result;
  }
};

TEST(GraphArgumentService, NodesThatDoNotRunAreMissingWork) {
  expect_refused<MakesEmptyExecutables>(plain_program(), "add_one", "ran 0 times instead of 1");
  expect_refused<MakesEmptyExecutables>(Program()
                                            .script(Op::add_memcpy)
                                            .script(Op::instantiate)
                                            .script(Op::launch)
                                            .script(Op::synchronize),
                                        "memcpy", "ran 0 times instead of 1");
}

/// Runs everything twice, which does not change any value.
struct MakesDoubleExecutables : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  CUresult instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& keeping) override {
    CUgraph both = nullptr;
    CUgraphNode first = nullptr, second = nullptr;
    cuGraphCreate(&both, 0);
    cuGraphAddChildGraphNode(&first, both, nullptr, 0, graph.graph);
    cuGraphAddChildGraphNode(&second, both, &first, 1, graph.graph);
    const CUgraph asked = std::exchange(graph.graph, both);
    const CUresult result = RetainPerNode::instantiate(graph, exec, keeping);
    graph.graph = asked;
    cuGraphDestroy(both);
    return result;
  }
};

TEST(GraphArgumentService, NodesThatRunTooOftenAreAFault) {
  expect_refused<MakesDoubleExecutables>(plain_program(), "add_one", "ran 2 times instead of 1");
}

TEST(GraphArgumentService, EveryRefusalHasASource) {
  for (const Refusal& refusal : refusals()) EXPECT_FALSE(refusal.source.empty()) << refusal.ops;
}

// ---- bounds -------------------------------------------------------------------------------------

struct ForgetsReplaced : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  Status commit(GraphBox& graph, harness::Object&, CUgraphNode, const Owners&,
                Keeping* prepared) override {
    graph.keeping = prepared;
    return Status::ok;
  }
  void destroyed(GraphBox&, CUgraphNode) override {}
};

/// Frees memory only after the script has dropped everything.
struct FreesLate : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  void release(Garbage garbage) override {
    if (garbage.kind != targets::graph_argument::ResourceKind::memory || over)
      return RetainPerNode::release(std::move(garbage));
    late.push_back(std::move(garbage));
  }
  void drop_late() {
    over = true;
    for (Garbage& garbage : late) RetainPerNode::release(std::move(garbage));
    late.clear();
  }
  std::pmr::vector<Garbage> late;
  bool over = false;
};

struct FreesAtTheEnd : ScriptGlobals {
  explicit FreesAtTheEnd(Frame& frame) : ScriptGlobals(frame), late(*frame.core().policy) {}
  Status drop_all(bool graphs) override {
    const Status status = ScriptGlobals::drop_all(graphs);
    if (!graphs) static_cast<FreesLate&>(late).drop_late();
    return status;
  }
  Policy& late;
};

template <class Policy, class... Parts>
void expect_unbounded(const Program& program, Label kind, Label birth) {
  const Outcome outcome = outcome_of<Policy, Parts...>(program);
  EXPECT_FALSE(outcome.faults.empty()) << kind.view();
  bool found = false;
  for (const Fault& fault : outcome.faults) {
    EXPECT_EQ(fault.kind, FaultKind::retention) << fault.signature();
    EXPECT_EQ(fault.use_site, Label("bound")) << "not only when everything was dropped";
    found = found || (fault.object_kind == kind && fault.birth_site == birth);
  }
  EXPECT_TRUE(found) << kind.view();
}

TEST(GraphArgumentBounded, ReplacedArgumentsOfANodeAreReleased) {
  expect_unbounded<ForgetsReplaced>(changes(), "device memory", "allocate");
  expect_unbounded<ForgetsReplaced>(changes(), "user object", "GN_launch");
}

TEST(GraphArgumentBounded, FreeingAtTheEndIsTooLate) {
  expect_unbounded<FreesLate, FreesAtTheEnd>(Program().script(Op::drop), "device memory",
                                             "allocate");
}

// Judged while the script runs: the last op finds the fault, not the end of the run.
TEST(GraphArgumentBounded, IsJudgedDuringTheRun) {
  Program program;
  program.script(Op::add_kernel).script(Op::drop).script(Op::collect).script(Op::collect);
  program.script(Op::collect).script(Op::collect).script(Op::drop, {2});
  for (std::uint32_t i = 0; i < kBoundCalls; ++i) program.script(Op::collect);
  program.script(Op::instantiate).script(Op::launch).script(Op::synchronize_device);
  const Outcome outcome = outcome_of<FreesLate, FreesAtTheEnd>(program);
  ASSERT_FALSE(outcome.faults.empty());
  EXPECT_EQ(outcome.faults[0].activation, harness::slot_name(0, 9 + kBoundCalls));
}

/// Never retries a pending call that Python's full queue refused.
struct NeverAsksAgain : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  void entered() override {}
};

TEST(GraphArgumentBounded, DeferredReleasesAreRetried) {
  const Outcome outcome = outcome_of<NeverAsksAgain>(holds_up());
  ASSERT_FALSE(outcome.faults.empty());
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::retention) << "here at the end, too";
}

struct NeverRollsBack : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  void roll_back(GraphBox&, Keeping*) override {}
};

TEST(GraphArgumentBounded, ObjectsPreparedForAFailedCallAreReleased) {
  Program program = Program().script(Op::add_kernel).script(Op::create_definition);
  program.script(Op::add_alloc, {0, 11}).script(Op::add_child, {0, 10, 11});
  expect_unbounded<NeverRollsBack>(program, "user object", "GN_embed");
}

// ---- the contract -------------------------------------------------------------------------------

Fault died_and_used(harness::Label death, harness::Label use) {
  Fault fault;
  fault.object_kind = "device memory";
  fault.death_site = death;
  fault.use_site = use;
  return fault;
}

TEST(GraphArgumentContract, HoldsTheCallerToTheDocumentationOnly) {
  EXPECT_TRUE(is_caller_error(scenario, died_and_used("Buffer.close", "add_one")));
  EXPECT_TRUE(is_caller_error(scenario, died_and_used("Buffer.__dealloc__", "chase")));
  EXPECT_TRUE(is_caller_error(scenario, died_and_used("Buffer.__dealloc__", "captured")));
  EXPECT_FALSE(is_caller_error(scenario, died_and_used("Buffer.__dealloc__", "add_one")));
  EXPECT_FALSE(is_caller_error(scenario, died_and_used("Buffer.close", "Graph.launch")));
}

TEST(GraphArgumentContract, RequiresTheCallerToKeepModulesOfACapture) {
  Fault fault = died_and_used("ObjectCode.__dealloc__/captured", "Graph.launch");
  fault.object_kind = "library";
  EXPECT_TRUE(is_caller_error(scenario, fault));
  fault.death_site = "ObjectCode.__dealloc__";
  EXPECT_FALSE(is_caller_error(scenario, fault));
}

// A free that is unordered with a launch has a death site; a race of the caller has none.
TEST(GraphArgumentContract, RequiresTheCallerToOrderItsWorkButNotFreesByTheLibrary) {
  Fault end = died_and_used("Buffer.__dealloc__", "add_one");
  end.kind = FaultKind::data_race;
  EXPECT_FALSE(is_caller_error(scenario, end));
  Fault race = died_and_used("", "add_one");
  race.kind = FaultKind::data_race;
  race.object_kind = "bytes of device memory";
  EXPECT_TRUE(is_caller_error(scenario, race));
}

TEST(GraphArgumentContract, EveryClauseHasASource) {
  for (const harness::ContractClause& clause : kContract) EXPECT_FALSE(clause.source.empty());
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
