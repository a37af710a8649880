// Broken paths: the path under test with one thing wrong in it, run like any variant. A judge that
// stays silent about its own is worth nothing.
#pragma once

#include "scenarios/graph_argument/bounded.h"
#include "scenarios/graph_argument/service.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"
#include "targets/graph_argument/retain_per_node.h"
#include "targets/graph_argument/script.h"

namespace scenarios::graph_argument::testing {

using harness::Outcome;
using targets::graph_argument::Core;
using targets::graph_argument::ExecBox;
using targets::graph_argument::Garbage;
using targets::graph_argument::GraphBox;
using targets::graph_argument::Keeping;
using targets::graph_argument::Owners;
using targets::graph_argument::Policy;
using targets::graph_argument::RetainPerNode;
using targets::graph_argument::Status;
using Script = targets::graph_argument::Script;

template <class Lifetime, class Path>
targets::graph_argument::GraphArgument* make_broken(harness::Runtime& runtime,
                                                    const targets::graph_argument::Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  Policy& policy = *arena.make<Lifetime>(core);
  return arena.make<Path>(core, policy);
}

template <class Lifetime, class Path>
void drive_broken(harness::Scene& scene) {
  drive_shaped(scene, {.make = make_broken<Lifetime, Path>});
}

template <class Lifetime, class Path = Script>
harness::Scenario broken_scenario() {
  harness::Scenario broken = scenario;
  broken.drive = drive_broken<Lifetime, Path>;
  return broken;
}

template <class Lifetime, class Path = Script>
Outcome outcome_of(const Program& program) {
  const harness::Scenario broken = broken_scenario<Lifetime, Path>();
  harness::Runner runner;
  return runner.run(
      harness::Case{&broken, variant_named("retain_per_node"), {}, &sim(), program.tape()});
}

/// A node gets other buffers, and what it had is dropped; its executable is updated.
inline Program changes() {
  return Program()
      .script(Op::add_kernel)
      .script(Op::instantiate)
      .script(Op::set_params, {0, 2, 2})
      .script(Op::drop)
      .script(Op::update)
      .script(Op::launch)
      .script(Op::synchronize);
}

/// What is closed is refused.
inline Program closes() {
  return Program()
      .script(Op::add_kernel)
      .script(Op::instantiate)
      .script(Op::close_graph)
      .script(Op::launch)
      .script(Op::close_stream)
      .script(Op::allocate, {0, 1});
}

/// CUDA's thread lets go of a buffer while Python's queue is full, and nothing else follows.
inline Program holds_up() {
  return Program()
      .script(Op::add_kernel, {21})
      .script(Op::create_definition)
      .script(Op::drop)
      .script(Op::drop, {10})
      .script(Op::flood);
}

}  // namespace scenarios::graph_argument::testing
