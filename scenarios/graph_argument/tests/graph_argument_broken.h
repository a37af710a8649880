// SPDX-License-Identifier: Apache-2.0
// Broken paths: the path under test with a single bug, run like any variant. A judge that does not
// report its bug is useless.
#pragma once

#include "scenarios/graph_argument/judges/bounded.h"
#include "scenarios/graph_argument/model/refuse.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"
#include "targets/graph_argument/retain_per_node.h"
#include "targets/graph_argument/script/script.h"

namespace scenarios::graph_argument::testing {

using harness::Outcome;
using targets::graph_argument::Core;
using targets::graph_argument::ExecBox;
using targets::graph_argument::Frame;
using targets::graph_argument::Garbage;
using targets::graph_argument::GraphArgument;
using targets::graph_argument::GraphBox;
using targets::graph_argument::Keeping;
using targets::graph_argument::Owners;
using targets::graph_argument::Policy;
using targets::graph_argument::RetainPerNode;
using targets::graph_argument::ScriptBuilders;
using targets::graph_argument::ScriptExecutables;
using targets::graph_argument::ScriptGlobals;
using targets::graph_argument::ScriptNodes;
using targets::graph_argument::ScriptObjects;
using targets::graph_argument::Status;

/// Returns the part that implements the interface, or else `whole`.
template <class Interface, class... Parts>
Interface& either(Interface& whole, Parts&... parts) {
  Interface* found = &whole;
  const auto look = [&](auto& part) {
    if constexpr (std::is_base_of_v<Interface, std::remove_reference_t<decltype(part)>>)
      found = &part;
  };
  (look(parts), ...);
  return *found;
}

template <class... Parts>
GraphArgument with_parts(const GraphArgument& path, Parts&... parts) {
  return {either(path.process, parts...),    either(path.globals, parts...),
          either(path.objects, parts...),    either(path.definitions, parts...),
          either(path.nodes, parts...),      either(path.builders, parts...),
          either(path.executables, parts...)};
}

/// Makes the path with that policy and those parts in place of its own.
template <class Lifetime, class... Parts>
GraphArgument make_broken(harness::Runtime& runtime, const targets::graph_argument::Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  core.policy = arena.make<Lifetime>(core);
  auto& script = *arena.make<targets::graph_argument::Script>(core);
  return with_parts(script.parts(), *arena.make<Parts>(script.frame())...);
}

template <class Lifetime, class... Parts>
void drive_broken(harness::Scene& scene) {
  drive_shaped(scene, {.make = make_broken<Lifetime, Parts...>});
}

template <class Lifetime, class... Parts>
harness::Scenario broken_scenario() {
  harness::Scenario broken = scenario;
  broken.drive = drive_broken<Lifetime, Parts...>;
  return broken;
}

template <class Lifetime, class... Parts>
Outcome outcome_of(const Program& program) {
  const harness::Scenario broken = broken_scenario<Lifetime, Parts...>();
  harness::Runner runner;
  return runner.run(
      harness::Case{&broken, variant_named("retain_per_node"), {}, &sim(), program.tape()});
}

/// Changes a node's buffers, drops the former one, and updates the executable.
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

/// Returns a program in which closed objects are used, and refused.
inline Program closes() {
  return Program()
      .script(Op::add_kernel)
      .script(Op::instantiate)
      .script(Op::close_graph)
      .script(Op::launch)
      .script(Op::close_stream)
      .script(Op::allocate, {0, 1});
}

/// CUDA's thread releases a buffer while Python's queue is full, and no other call follows.
inline Program holds_up() {
  return Program()
      .script(Op::add_kernel, {21})
      .script(Op::create_definition)
      .script(Op::drop)
      .script(Op::drop, {10})
      .script(Op::flood);
}

}  // namespace scenarios::graph_argument::testing
