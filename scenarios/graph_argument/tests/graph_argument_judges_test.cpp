// SPDX-License-Identifier: Apache-2.0
// Judges of a call's effects on the driver, and of deferred work: each test breaks the path in one
// place.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "scenarios/graph_argument/tests/graph_argument_broken.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using targets::graph_argument::ResourceKind;
using targets::graph_argument::Variable;

template <class Policy, class... Parts>
void expect_fault(const Program& program, FaultKind kind, Label object, std::string_view detail) {
  const std::vector<Fault> faults = outcome_of<Policy, Parts...>(program).faults;
  std::string found;
  for (const Fault& fault : faults) found += fault.signature() + ": " + fault.detail + "; ";
  EXPECT_TRUE(std::any_of(faults.begin(), faults.end(),
                          [&](const Fault& fault) {
                            return fault.kind == kind && fault.object_kind == object &&
                                   fault.detail.find(detail) != std::string::npos;
                          }))
      << object.view() << ": " << found;
  EXPECT_EQ(outcome_of<RetainPerNode>(program).faults, std::vector<Fault>());
}

/// Returns a program with a builder that is left open, and one that is ended and dropped.
Program builders() {
  return Program()
      .script(Op::begin_building)
      .script(Op::launch_captured)
      .script(Op::begin_building)
      .script(Op::end_building)
      .script(Op::add_kernel);
}

// ---- calls of CUDA's ----------------------------------------------------------------------------

struct IgnoresFailures : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  Status prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) override {
    cuGraphRetainUserObject(graph.graph, nullptr, 1, 0);
    return RetainPerNode::prepare(graph, owners, prepared);
  }
};

TEST(GraphArgumentCalls, AFailureReportedAsOkIsAFault) {
  expect_fault<IgnoresFailures>(plain_program(), FaultKind::refusal, "add_kernel",
                                "ok, although CUDA has failed");
}

struct LeavesItsContext : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  void release(Garbage garbage) override {
    cuCtxPushCurrent(core_.context);
    RetainPerNode::release(std::move(garbage));
  }
};

TEST(GraphArgumentCalls, AContextLeftCurrentIsAFault) {
  expect_fault<LeavesItsContext>(Program().script(Op::drop), FaultKind::refusal, "drop",
                                 "left another context current");
}

struct EndsNoCapture : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  void release(Garbage garbage) override {
    if (garbage.kind != ResourceKind::capture) RetainPerNode::release(std::move(garbage));
  }
};

TEST(GraphArgumentCalls, ACaptureNeverEndedIsAFault) {
  expect_fault<EndsNoCapture>(builders(), FaultKind::refusal, "capture",
                              "ended 1 times instead of 2");
}

// ---- guarantees for scripts ---------------------------------------------------------------------

constexpr std::uint32_t kFirstNode = 13, kSecondNode = 14;  // Arguments on tapes.

/// Replaces the node to depend on by its definition, so the new node has no dependencies.
struct ForgetsTheOrder : ScriptNodes {
  using ScriptNodes::ScriptNodes;
  Status add_memset(Variable into, Variable, Variable target, std::int32_t value) override {
    return ScriptNodes::add_memset(into, kFirstDefinition, target, value);
  }
};

TEST(GraphArgumentOrder, ANodeIsOrderedAfterItsPredecessor) {
  Program program = Program().script(Op::add_kernel).script(Op::add_memset, {0, kFirstNode});
  expect_fault<RetainPerNode, ForgetsTheOrder>(program, FaultKind::refusal, "variable",
                                               "was not given");
}

/// Reports no dependency for `consume`, which is added together with `produce`.
struct CountsOne : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  Status prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) override {
    core_.facts.tell(&targets::graph_argument::Observer::comes_after, std::size_t{0});
    return RetainPerNode::prepare(graph, owners, prepared);
  }
};

TEST(GraphArgumentOrder, AConsumerIsOrderedAfterItsProducer) {
  constexpr std::uint32_t kProduceConsume = 3;
  expect_fault<CountsOne>(Program().script(Op::add_kernel, {0, 0, 0, kProduceConsume}),
                          FaultKind::refusal, "node", "after none");
}

TEST(GraphArgumentOrder, AnEntryHasNoDependencies) {
  Program program = Program().script(Op::add_kernel).script(Op::add_kernel);
  program.script(Op::add_memset, {0, kSecondNode}).script(Op::destroy_node, {kFirstNode});
  program.script(Op::add_callback, {0, kFirstNode}).script(Op::instantiate).script(Op::launch);
  EXPECT_EQ(outcome_of<RetainPerNode>(program).faults, std::vector<Fault>());
}

// The same nodes in a different order.
TEST(GraphArgumentOrder, AnUpdateToAnotherOrderMayBeRefused) {
  Program program = Program().script(Op::add_kernel).script(Op::clone);
  program.script(Op::add_callback, {0, 11}).script(Op::add_callback, {0, kFirstNode});
  program.script(Op::instantiate, {0, 11}).script(Op::update, {0, 10});
  EXPECT_EQ(outcome_of<RetainPerNode>(program).faults, std::vector<Fault>());
}

struct ForgetsThatItCaptures : ScriptGlobals {
  using ScriptGlobals::ScriptGlobals;
  bool is_capturing(Variable) const override { return false; }
};

TEST(GraphArgumentService, ABuilderReportsThatItCaptures) {
  expect_fault<RetainPerNode, ForgetsThatItCaptures>(builders(), FaultKind::refusal, "builder",
                                                     "does not capture");
}

struct DiesQuietly : ScriptExecutables {
  using ScriptExecutables::ScriptExecutables;
  Status launch(Variable, StreamName) override { harness::World::current()->scheduler.die(); }
};

TEST(GraphArgumentService, ARunThatEndsEarlyWithoutAReasonIsAFault) {
  expect_fault<RetainPerNode, DiesQuietly>(plain_program(), FaultKind::refusal, "script",
                                           "ended in the middle");
}

/// Replaces the status of a closed object by that of a CUDA failure.
Status point_at_cuda(Status status) {
  return status == Status::closed ? Status::driver_error : status;
}

struct PointsAtCudaForBuilders : ScriptBuilders {
  using ScriptBuilders::ScriptBuilders;
  Status end_building(Variable builder) override {
    return point_at_cuda(ScriptBuilders::end_building(builder));
  }
};
struct PointsAtCudaForNodes : ScriptNodes {
  using ScriptNodes::ScriptNodes;
  Status set_params(Variable node, Variable first, Variable second) override {
    return point_at_cuda(ScriptNodes::set_params(node, first, second));
  }
};
struct PointsAtCudaForExecutables : ScriptExecutables {
  using ScriptExecutables::ScriptExecutables;
  Status update_node(Variable graph, Variable node, Variable first, Variable second) override {
    return point_at_cuda(ScriptExecutables::update_node(graph, node, first, second));
  }
};

TEST(GraphArgumentService, AnEndedBuilderIsClosed) {
  expect_fault<RetainPerNode, PointsAtCudaForBuilders>(
      Program().script(Op::begin_building).script(Op::end_building).script(Op::end_building),
      FaultKind::refusal, "end_building", "driver_error");
}

struct SaysThatItIsOver : ScriptBuilders {
  using ScriptBuilders::ScriptBuilders;
  Status end_building(Variable builder) override {
    const Status status = ScriptBuilders::end_building(builder);
    return status == Status::driver_error ? Status::closed : status;
  }
};

TEST(GraphArgumentService, ABuilderWithAnInvalidCaptureIsNotEnded) {
  Program program = Program().script(Op::begin_building).script(Op::synchronize_device);
  program.script(Op::end_building).script(Op::end_building);
  expect_fault<RetainPerNode, SaysThatItIsOver>(program, FaultKind::refusal, "end_building",
                                                "closed");
}

TEST(GraphArgumentService, ADestroyedNodeIsClosed) {
  constexpr std::uint32_t kFirst = 13, kSecond = 14;  // Nodes, by their arguments on tapes.
  Program program = Program().script(Op::add_kernel, {kFirst}).script(Op::add_kernel, {kSecond});
  program.script(Op::instantiate).script(Op::destroy_node, {kSecond});
  expect_fault<RetainPerNode, PointsAtCudaForNodes>(
      Program(program).script(Op::set_params, {kSecond}), FaultKind::refusal, "set_params",
      "driver_error");
  expect_fault<RetainPerNode, PointsAtCudaForExecutables>(
      program.script(Op::update_node, {0, kSecond}), FaultKind::refusal, "update_node",
      "driver_error");
}

// ---- bounds -------------------------------------------------------------------------------------

struct KeepsStreams : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  void release(Garbage garbage) override {
    if (garbage.kind != ResourceKind::stream) RetainPerNode::release(std::move(garbage));
  }
};

TEST(GraphArgumentBounded, AClosedStreamEndsOnceNoMemoryIsToBeFreedOnIt) {
  const Program held =
      Program().script(Op::set_deallocation_stream, {0, 1}).script(Op::close_stream);
  expect_fault<KeepsStreams>(Program().script(Op::close_stream), FaultKind::retention, "stream",
                             "it could not be used");
  expect_fault<KeepsStreams>(Program(held).script(Op::drop), FaultKind::retention, "stream",
                             "it could not be used");
}

/// Defers releases to the next call, which may never come.
struct WaitsForACall : RetainPerNode {
  using RetainPerNode::RetainPerNode;
  void release(Garbage garbage) override {
    if (garbage.kind != ResourceKind::memory) return RetainPerNode::release(std::move(garbage));
    late.push_back(std::move(garbage));
  }
  void entered() override {
    for (Garbage& garbage : late) RetainPerNode::release(std::move(garbage));
    late.clear();
    RetainPerNode::entered();
  }
  std::pmr::vector<Garbage> late;
};

TEST(GraphArgumentBounded, ADeferredReleaseNeedsNoFurtherCall) {
  expect_fault<WaitsForACall>(Program().script(Op::add_kernel).script(Op::drop),
                              FaultKind::retention, "device memory", "it could not be used");
}

/// Defers a callback's releases to the next call.
struct CallbacksWaitForACall : WaitsForACall {
  using WaitsForACall::WaitsForACall;
  void release(Garbage garbage) override {
    if (core_.in_callback()) return WaitsForACall::release(std::move(garbage));
    // NOLINTNEXTLINE(bugprone-parent-virtual-call): outside of callbacks nothing is to wait.
    RetainPerNode::release(std::move(garbage));
  }
};

/// Explores runs in which a host function is late: it runs in the last wait for a stream.
template <class Policy>
harness::Proof proof_of_late_function() {
  constexpr std::uint32_t kDefaultStream = 2;
  Program program = Program().script(Op::add_callback).script(Op::instantiate);
  program.script(Op::make_cycle).script(Op::drop).script(Op::launch, {0, kDefaultStream});
  const harness::Scenario broken = broken_scenario<Policy>();
  const auto config =
      harness::parse_config(scenario, "default_stream=per_thread collector=allocation");
  harness::Case the_case{&broken, variant_named("retain_per_node"), config, &sim(), program.tape()};
  the_case.tape.push_back({harness::slot_name(0, 4), harness::site_tag(harness::Site::lag), 0, 1});
  harness::Runner runner;
  return harness::prove(runner, the_case, 1, {.run_limit = 20'000});
}

// One more choice: the collector runs in the function and finds a buffer.
TEST(GraphArgumentBounded, AReleaseDeferredByAHostFunctionNeedsNoFurtherCall) {
  const harness::Proof broken = proof_of_late_function<CallbacksWaitForACall>();
  ASSERT_TRUE(broken.failed);
  EXPECT_EQ(broken.faults[0], "leak device memory born:allocate used:bound");
  EXPECT_FALSE(proof_of_late_function<RetainPerNode>().failed);
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
