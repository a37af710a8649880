// SPDX-License-Identifier: Apache-2.0
// The window of a death, by which objects held the thing, and which had lost it before.
#include <gtest/gtest.h>

#include <optional>

#include "harness/core/fault/kinds.h"
#include "harness/run/tests/scripted_scene.h"
#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/judges/judges.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

// Arguments on tapes for variables.
constexpr std::uint32_t kBuffer = 1, kOther = 2, kDefinition = 10, kClone = 11, kNode = 13;

int window_of_first(std::string_view variant, const Program& program) {
  harness::Runner runner;
  const harness::Outcome& outcome =
      runner.run(make_case(variant, "default_stream=legacy collector=eval_breaker", program));
  return outcome.windows.empty() ? -1 : outcome.windows[0];
}

// The definition is dropped, too, but had lost the thing before.
TEST(GraphArgumentWindows, OldArgumentsOfAChangedNodeAreLostByTheChange) {
  Program program = Program().script(Op::add_kernel).script(Op::instantiate);
  program.script(Op::set_params, {0, kOther, kOther}).script(Op::drop, {kDefinition});
  program.script(Op::drop, {kNode}).script(Op::drop, {kBuffer}).script(Op::launch);
  EXPECT_EQ(window_of_first("slot_table", program), harness::raw(Window::node_changed));
}

TEST(GraphArgumentWindows, ArgumentsOfADestroyedNodeAreLostToItsClones) {
  Program program = Program().script(Op::add_kernel).script(Op::clone, {kClone});
  program.script(Op::destroy_node).script(Op::drop, {kBuffer});
  program.script(Op::instantiate, {0, kClone}).script(Op::launch);
  EXPECT_EQ(window_of_first("slot_table", program), harness::raw(Window::node_changed));
}

// The node has its new parameters although the call failed: the argument is not attached.
TEST(GraphArgumentWindows, ArgumentsNotAttachedToAChangedNodeAreLost) {
  Program program = Program().script(Op::add_kernel).script(Op::instantiate);
  program.script(Op::set_params, {0, kOther, kOther}).script(Op::update);
  program.script(Op::drop, {kOther}).script(Op::launch);
  harness::Case the_case =
      make_case("user_object_tuple", "default_stream=legacy collector=eval_breaker", program);
  constexpr std::uint16_t kAttach = 2;  // After the attachment of the library.
  the_case.tape.push_back(
      {harness::slot_name(0, 2), harness::site_tag(harness::Site::failure), kAttach, 1});
  harness::Runner runner;
  const harness::Outcome& outcome = runner.run(the_case);
  ASSERT_FALSE(outcome.windows.empty());
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::attachment_failed));
}

// Another node's bare address does not make this a caller error: the policy must keep it.
TEST(GraphArgumentWindows, ANodeWithTheBufferOutweighsABareAddress) {
  constexpr std::uint32_t kChase = 4;
  Program program = Program().script(Op::clone, {kClone}).script(Op::add_memset, {0, kClone});
  program.script(Op::add_kernel, {0, kDefinition, 0, kChase}).script(Op::drop, {kBuffer});
  program.script(Op::instantiate, {0, kClone}).script(Op::launch);
  EXPECT_EQ(window_of_first("user_object_tuple", program), harness::raw(Window::operand_dropped));
}

// Another task waits for the launch, which the script does not know when it frees: 1 of 1.2 million
// runs.
TEST(GraphArgumentWindows, AWaitOfAnotherTaskDoesNotEndTheLaunchsUse) {
  harness::Runner runner;
  const harness::Outcome& outcome =
      runner.run(recorded_case("user_object_tuple", "per_thread", R"(script:0 op add_kernel
script:0 argument[3] 1
script:1 op instantiate
script:2 op update_node
script:2 argument[2] 2
script:3 op launch
script:3 argument[1] 2
script:4 op update
script:5 op drop
script:6 op drop
script:6 schedule mutator:1 of start
)"));
  ASSERT_FALSE(outcome.windows.empty());
  EXPECT_EQ(outcome.windows[0], harness::raw(Window::executable_changed));
}

// ---- facts and faults ---------------------------------------------------------------------------

struct Met {
  FaultKind kind;
  Label object;
  Label death_site;
  Label use_site;
  Window window;
};

/// Judges without a path: they receive facts from the test.
class GraphArgumentFaults : public ::testing::Test {
 protected:
  using GraphId = targets::graph_argument::GraphId;
  using NodeId = targets::graph_argument::NodeId;
  using ThingId = targets::graph_argument::ThingId;
  using ThingKind = targets::graph_argument::ThingKind;
  using Work = targets::graph_argument::Work;

  GraphArgumentFaults() {
    judges_.emplace(scripted_.scene());
    scripted_.scene().set_state(*judges_);
    graphs().graph_made(GraphId{1}, GraphId::none);
  }

  targets::graph_argument::ThingWitness& things() { return *judges_; }
  targets::graph_argument::GraphWitness& graphs() { return *judges_; }
  int window_met(const Met& met) const {
    Fault fault;
    fault.kind = met.kind;
    fault.object_kind = met.object;
    fault.death_site = met.death_site;
    fault.use_site = met.use_site;
    return window_of(scripted_.scene(), fault);
  }
  /// Makes a thing that a node of the graph points into, and ends it. Returns the site.
  Label end(ThingKind kind, Label life, Work work, Label site = "Buffer.__dealloc__") {
    const auto thing = static_cast<ThingId>(++thing_count_);
    const harness::BirthId born = scripted_.world().ledger.born(life, 0, 0);
    things().thing_made(thing, kind);
    things().reference_taken(thing);
    graphs().node_added(GraphId{1}, static_cast<NodeId>(thing_count_), {work, {thing}});
    things().reference_dropped(thing);
    const harness::SiteScope scope(scripted_.world().scheduler, site);
    things().thing_ends(thing);
    scripted_.world().ledger.died(born);
    dead_ = scripted_.world().ledger.describe(FaultKind::use_after_free, born);
    dead_.use_site = "Graph.launch";
    return scripted_.world().scheduler.site();
  }
  int window_of_dead() const { return window_of(scripted_.scene(), dead_); }

  harness::testing::ScriptedScene scripted_{scenario};
  std::optional<Judges> judges_;
  std::uint32_t thing_count_ = 0;
  Fault dead_;  ///< Use of the last ended thing.
};

TEST_F(GraphArgumentFaults, BelongToTheWindowRecordedAtTheEnd) {
  end(ThingKind::buffer, "device memory", Work::add_one);
  const Fault first = dead_;
  EXPECT_EQ(window_of_dead(), harness::raw(Window::argument_dropped));
  end(ThingKind::buffer, "device memory", Work::copy);
  EXPECT_EQ(window_of_dead(), harness::raw(Window::operand_dropped));
  end(ThingKind::module, "library", Work::add_one, "ObjectCode.__dealloc__");
  EXPECT_EQ(window_of_dead(), harness::raw(Window::module_dropped));
  end(ThingKind::event, "event", Work::record, "Event.__dealloc__");
  EXPECT_EQ(window_of_dead(), harness::raw(Window::stream_or_event_closed));
  EXPECT_EQ(window_of(scripted_.scene(), first), harness::raw(Window::argument_dropped))
      << "by its life";
}

TEST_F(GraphArgumentFaults, ObjectsHeldOnlyByACaptureAreClassifiedByTheirEnd) {
  EXPECT_EQ(end(ThingKind::buffer, "device memory", Work::captured), kBufferCapturedSite);
  EXPECT_EQ(end(ThingKind::module, "library", Work::captured, "ObjectCode.__dealloc__"),
            kModuleCapturedSite);
  EXPECT_EQ(window_of_dead(), harness::raw(Window::captured_dropped));
  EXPECT_EQ(end(ThingKind::buffer, "device memory", Work::add_one), Label("Buffer.__dealloc__"));
}

TEST_F(GraphArgumentFaults, FaultsOfABareAddressAreTheCallersOnlyIfFollowed) {
  end(ThingKind::buffer, "device memory", Work::chase);
  EXPECT_EQ(window_of_dead(), harness::raw(Window::argument_dropped));
  dead_.use_site = "chase";
  EXPECT_EQ(window_of_dead(), harness::raw(Window::bare_address_dropped));
}

// The value has the sites of the use that caused it, but no object.
TEST_F(GraphArgumentFaults, AWrongValueBelongsToTheEarlierRecycledUse) {
  end(ThingKind::buffer, "device memory", Work::copy);
  dead_.kind = FaultKind::recycled_use;
  Fault value = dead_;
  value.kind = FaultKind::wrong_value;
  value.object = 0;
  EXPECT_EQ(window_of(scripted_.scene(), value), -1);
  scripted_.world().history.add(dead_);
  EXPECT_EQ(window_of(scripted_.scene(), value), harness::raw(Window::operand_dropped));
}

TEST_F(GraphArgumentFaults, AreClassifiedByObjectEndAndUse) {
  using enum FaultKind;
  for (const Met& met :
       {Met{use_after_free, "device memory", "Buffer.close", "saxpy", Window::buffer_closed},
        Met{use_after_free, "device memory", "Buffer.close", "Graph.launch",
            Window::operand_dropped},
        Met{use_after_free, "embedded graph", "GraphNode.destroy", "launch",
            Window::child_destroyed},
        Met{recycled_use, "embedded graph", "GraphNode.destroy", "launch", Window::handle_reused},
        Met{double_free, "graph", "GraphBuilder.close", "GraphBuilder.close",
            Window::capture_invalidated},
        Met{use_after_free, "graph memory", "Graph.launch", "scratch",
            Window::graph_memory_misused},
        Met{use_after_free, "interpreter", "exit", "user object destructor",
            Window::dropped_in_callback},
        Met{api_misuse, "user object destructor", "", "Buffer.__dealloc__",
            Window::dropped_in_callback}})
    EXPECT_EQ(window_met(met), harness::raw(met.window))
        << met.object.view() << " " << met.death_site.view() << " " << met.use_site.view();
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
