// SPDX-License-Identifier: Apache-2.0
// Describes each call to the model.
#include "scenarios/graph_argument/witness.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Status;

void Judging::refuse_capturing(bool said) {
  scene_.refuse("builder",
                said ? "captures, and has ended" : "does not capture, and has not ended");
}

// ---- the process --------------------------------------------------------------------------------

Status WitnessedProcess::collect(std::uint32_t generation) {
  return judging_({.op = Op::collect}, [&] { return path_.collect(generation); });
}

Status WitnessedProcess::synchronize(StreamName stream) {
  return judging_({.op = Op::synchronize, .stream = stream},
                  [&] { return path_.synchronize(stream); });
}

Status WitnessedProcess::synchronize_device() {
  return judging_({.op = Op::synchronize_device}, [&] { return path_.synchronize_device(); });
}

Status WitnessedProcess::flood_pending_calls() {
  return judging_({.op = Op::flood}, [&] { return path_.flood_pending_calls(); });
}

// ---- variables ----------------------------------------------------------------------------------

bool WitnessedGlobals::is_capturing(Variable variable) const {
  const bool said = path_.is_capturing(variable);
  judging_.judge_capturing(variable, said);
  return said;
}

Status WitnessedGlobals::alias(Variable into, Variable from) {
  return judging_({.op = Op::alias, .given = bit(from), .into = into},
                  [&] { return path_.alias(into, from); });
}

Status WitnessedGlobals::drop(Variable variable) {
  return judging_({.op = Op::drop, .given = bit(variable)}, [&] { return path_.drop(variable); });
}

Status WitnessedGlobals::make_cycle(Variable variable) {
  return judging_({.op = Op::make_cycle, .given = bit(variable)},
                  [&] { return path_.make_cycle(variable); });
}

Status WitnessedGlobals::plant(FinalizerAction action, Variable victim) {
  return judging_({.op = Op::plant}, [&] { return path_.plant(action, victim); });
}

// ---- buffers, modules, events and streams -------------------------------------------------------

Status WitnessedObjects::allocate(Variable into, StreamName stream, std::int32_t value) {
  return judging_({.op = Op::allocate, .into = into, .stream = stream, .value = value},
                  [&] { return path_.allocate(into, stream, value); });
}

Status WitnessedObjects::close_buffer(Variable buffer) {
  return judging_({.op = Op::close_buffer, .given = bit(buffer)},
                  [&] { return path_.close_buffer(buffer); });
}

Status WitnessedObjects::set_deallocation_stream(Variable buffer, StreamName stream) {
  return judging_({.op = Op::set_deallocation_stream, .given = bit(buffer), .stream = stream},
                  [&] { return path_.set_deallocation_stream(buffer, stream); });
}

Status WitnessedObjects::link(Variable from, Variable to) {
  return judging_({.op = Op::link, .given = bit(from) | bit(to)},
                  [&] { return path_.link(from, to); });
}

Status WitnessedObjects::load_module(Variable into) {
  return judging_({.op = Op::load_module, .into = into}, [&] { return path_.load_module(into); });
}

Status WitnessedObjects::create_event(Variable into) {
  return judging_({.op = Op::create_event, .into = into}, [&] { return path_.create_event(into); });
}

Status WitnessedObjects::close_event(Variable event) {
  return judging_({.op = Op::close_event, .given = bit(event)},
                  [&] { return path_.close_event(event); });
}

Status WitnessedObjects::record(Variable event, StreamName stream) {
  return judging_({.op = Op::record, .given = bit(event), .stream = stream},
                  [&] { return path_.record(event, stream); });
}

Status WitnessedObjects::close_stream() {
  return judging_({.op = Op::close_stream}, [&] { return path_.close_stream(); });
}

Status WitnessedObjects::set_attribute(Variable buffer, Variable definition) {
  return judging_({.op = Op::set_attribute, .given = bit(buffer) | bit(definition)},
                  [&] { return path_.set_attribute(buffer, definition); });
}

// ---- definitions --------------------------------------------------------------------------------

Status WitnessedDefinitions::create_definition(Variable into) {
  return judging_({.op = Op::create_definition, .into = into},
                  [&] { return path_.create_definition(into); });
}

Status WitnessedDefinitions::add_child(Variable into, Variable definition, Variable child) {
  return judging_({.op = Op::add_child, .given = bit(definition) | bit(child), .into = into},
                  [&] { return path_.add_child(into, definition, child); });
}

Status WitnessedDefinitions::get_child(Variable into, Variable node) {
  return judging_({.op = Op::get_child, .given = bit(node), .into = into},
                  [&] { return path_.get_child(into, node); });
}

Status WitnessedDefinitions::add_conditional(Variable into, Variable definition,
                                             Condition condition, std::uint32_t branch,
                                             Variable module) {
  return judging_(
      {.op = Op::add_conditional,
       .given = bit(definition) | bit(module),
       .into = into,
       .condition = condition,
       .branch = branch},
      [&] { return path_.add_conditional(into, definition, condition, branch, module); });
}

Status WitnessedDefinitions::get_branch(Variable into, Variable node, std::uint32_t branch) {
  return judging_({.op = Op::get_branch, .given = bit(node), .into = into, .branch = branch},
                  [&] { return path_.get_branch(into, node, branch); });
}

Status WitnessedDefinitions::clone(Variable into, Variable definition) {
  return judging_({.op = Op::clone, .given = bit(definition), .into = into},
                  [&] { return path_.clone(into, definition); });
}

// ---- nodes --------------------------------------------------------------------------------------

Status WitnessedNodes::add_kernel(Variable into, Variable definition, Variable module,
                                  Kernel kernel, Variable first, Variable second) {
  return judging_(
      {.op = Op::add_kernel,
       .given = bit(definition) | bit(module) | bit(first) | bit(second),
       .into = into,
       .kernel = kernel},
      [&] { return path_.add_kernel(into, definition, module, kernel, first, second); });
}

Status WitnessedNodes::add_memcpy(Variable into, Variable definition, Variable target,
                                  Variable source) {
  return judging_(
      {.op = Op::add_memcpy, .given = bit(definition) | bit(target) | bit(source), .into = into},
      [&] { return path_.add_memcpy(into, definition, target, source); });
}

Status WitnessedNodes::add_memset(Variable into, Variable definition, Variable target,
                                  std::int32_t value) {
  return judging_(
      {.op = Op::add_memset, .given = bit(definition) | bit(target), .into = into, .value = value},
      [&] { return path_.add_memset(into, definition, target, value); });
}

Status WitnessedNodes::add_record(Variable into, Variable definition, Variable event) {
  return judging_({.op = Op::add_record, .given = bit(definition) | bit(event), .into = into},
                  [&] { return path_.add_record(into, definition, event); });
}

Status WitnessedNodes::add_wait(Variable into, Variable definition, Variable event) {
  return judging_({.op = Op::add_wait, .given = bit(definition) | bit(event), .into = into},
                  [&] { return path_.add_wait(into, definition, event); });
}

Status WitnessedNodes::add_callback(Variable into, Variable definition) {
  return judging_({.op = Op::add_callback, .given = bit(definition), .into = into},
                  [&] { return path_.add_callback(into, definition); });
}

Status WitnessedNodes::set_params(Variable node, Variable first, Variable second) {
  return judging_({.op = Op::set_params, .given = bit(node) | bit(first) | bit(second)},
                  [&] { return path_.set_params(node, first, second); });
}

Status WitnessedNodes::destroy_node(Variable node) {
  return judging_({.op = Op::destroy_node, .given = bit(node)},
                  [&] { return path_.destroy_node(node); });
}

Status WitnessedNodes::add_alloc(Variable into, Variable definition) {
  return judging_({.op = Op::add_alloc, .given = bit(definition), .into = into},
                  [&] { return path_.add_alloc(into, definition); });
}

Status WitnessedNodes::add_free(Variable into, Variable definition, Variable node) {
  return judging_({.op = Op::add_free, .given = bit(definition) | bit(node), .into = into},
                  [&] { return path_.add_free(into, definition, node); });
}

Status WitnessedNodes::add_scratch(Variable into, Variable definition, Variable module,
                                   Variable node, Variable buffer) {
  return judging_({.op = Op::add_scratch,
                   .given = bit(definition) | bit(module) | bit(node) | bit(buffer),
                   .into = into},
                  [&] { return path_.add_scratch(into, definition, module, node, buffer); });
}

// ---- builders -----------------------------------------------------------------------------------

Status WitnessedBuilders::begin_building(Variable into) {
  return judging_({.op = Op::begin_building, .into = into},
                  [&] { return path_.begin_building(into); });
}

Status WitnessedBuilders::launch_captured(Variable builder, Variable module, Variable buffer) {
  return judging_({.op = Op::launch_captured, .given = bit(builder) | bit(module) | bit(buffer)},
                  [&] { return path_.launch_captured(builder, module, buffer); });
}

Status WitnessedBuilders::end_building(Variable builder) {
  return judging_({.op = Op::end_building, .given = bit(builder)},
                  [&] { return path_.end_building(builder); });
}

Status WitnessedBuilders::complete(Variable into, Variable builder) {
  return judging_({.op = Op::complete, .given = bit(builder), .into = into},
                  [&] { return path_.complete(into, builder); });
}

// ---- executables --------------------------------------------------------------------------------

Status WitnessedExecutables::instantiate(Variable into, Variable definition) {
  return judging_({.op = Op::instantiate, .given = bit(definition), .into = into},
                  [&] { return path_.instantiate(into, definition); });
}

Status WitnessedExecutables::upload(Variable graph, StreamName stream) {
  return judging_({.op = Op::upload, .given = bit(graph), .stream = stream},
                  [&] { return path_.upload(graph, stream); });
}

Status WitnessedExecutables::launch(Variable graph, StreamName stream) {
  return judging_({.op = Op::launch, .given = bit(graph), .stream = stream},
                  [&] { return path_.launch(graph, stream); });
}

Status WitnessedExecutables::update_node(Variable graph, Variable node, Variable first,
                                         Variable second) {
  return judging_(
      {.op = Op::update_node, .given = bit(graph) | bit(node) | bit(first) | bit(second)},
      [&] { return path_.update_node(graph, node, first, second); });
}

Status WitnessedExecutables::update(Variable graph, Variable definition) {
  return judging_({.op = Op::update, .given = bit(graph) | bit(definition)},
                  [&] { return path_.update(graph, definition); });
}

Status WitnessedExecutables::close_graph(Variable graph) {
  return judging_({.op = Op::close_graph, .given = bit(graph)},
                  [&] { return path_.close_graph(graph); });
}

}  // namespace scenarios::graph_argument
