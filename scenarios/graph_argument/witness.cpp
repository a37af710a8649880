// Each call, in the words of the model.
#include "scenarios/graph_argument/witness.h"

namespace scenarios::graph_argument {

using targets::graph_argument::Status;

Status Witness::allocate(Variable into, StreamName stream, std::int32_t value) {
  return judged({.op = Op::allocate, .into = into, .stream = stream, .value = value},
                [&] { return path_.allocate(into, stream, value); });
}

Status Witness::close_buffer(Variable buffer) {
  return judged({.op = Op::close_buffer, .given = bit(buffer)},
                [&] { return path_.close_buffer(buffer); });
}

Status Witness::set_deallocation_stream(Variable buffer, StreamName stream) {
  return judged({.op = Op::set_deallocation_stream, .given = bit(buffer), .stream = stream},
                [&] { return path_.set_deallocation_stream(buffer, stream); });
}

Status Witness::link(Variable from, Variable to) {
  return judged({.op = Op::link, .given = bit(from) | bit(to)},
                [&] { return path_.link(from, to); });
}

Status Witness::load_module(Variable into) {
  return judged({.op = Op::load_module, .into = into}, [&] { return path_.load_module(into); });
}

Status Witness::create_event(Variable into) {
  return judged({.op = Op::create_event, .into = into}, [&] { return path_.create_event(into); });
}

Status Witness::close_event(Variable event) {
  return judged({.op = Op::close_event, .given = bit(event)},
                [&] { return path_.close_event(event); });
}

Status Witness::record(Variable event, StreamName stream) {
  return judged({.op = Op::record, .given = bit(event), .stream = stream},
                [&] { return path_.record(event, stream); });
}

Status Witness::close_stream() {
  return judged({.op = Op::close_stream}, [&] { return path_.close_stream(); });
}

Status Witness::create_definition(Variable into) {
  return judged({.op = Op::create_definition, .into = into},
                [&] { return path_.create_definition(into); });
}

Status Witness::add_kernel(Variable into, Variable definition, Variable module, Kernel kernel,
                           Variable first, Variable second) {
  return judged({.op = Op::add_kernel,
                 .given = bit(definition) | bit(module) | bit(first) | bit(second),
                 .into = into,
                 .kernel = kernel},
                [&] { return path_.add_kernel(into, definition, module, kernel, first, second); });
}

Status Witness::add_memcpy(Variable into, Variable definition, Variable target, Variable source) {
  return judged(
      {.op = Op::add_memcpy, .given = bit(definition) | bit(target) | bit(source), .into = into},
      [&] { return path_.add_memcpy(into, definition, target, source); });
}

Status Witness::add_memset(Variable into, Variable definition, Variable target,
                           std::int32_t value) {
  return judged(
      {.op = Op::add_memset, .given = bit(definition) | bit(target), .into = into, .value = value},
      [&] { return path_.add_memset(into, definition, target, value); });
}

Status Witness::add_record(Variable into, Variable definition, Variable event) {
  return judged({.op = Op::add_record, .given = bit(definition) | bit(event), .into = into},
                [&] { return path_.add_record(into, definition, event); });
}

Status Witness::add_wait(Variable into, Variable definition, Variable event) {
  return judged({.op = Op::add_wait, .given = bit(definition) | bit(event), .into = into},
                [&] { return path_.add_wait(into, definition, event); });
}

Status Witness::add_callback(Variable into, Variable definition) {
  return judged({.op = Op::add_callback, .given = bit(definition), .into = into},
                [&] { return path_.add_callback(into, definition); });
}

Status Witness::add_child(Variable into, Variable definition, Variable child) {
  return judged({.op = Op::add_child, .given = bit(definition) | bit(child), .into = into},
                [&] { return path_.add_child(into, definition, child); });
}

Status Witness::get_child(Variable into, Variable node) {
  return judged({.op = Op::get_child, .given = bit(node), .into = into},
                [&] { return path_.get_child(into, node); });
}

Status Witness::add_conditional(Variable into, Variable definition, Condition condition,
                                std::uint32_t branch, Variable module) {
  return judged({.op = Op::add_conditional,
                 .given = bit(definition) | bit(module),
                 .into = into,
                 .condition = condition,
                 .branch = branch},
                [&] { return path_.add_conditional(into, definition, condition, branch, module); });
}

Status Witness::get_branch(Variable into, Variable node, std::uint32_t branch) {
  return judged({.op = Op::get_branch, .given = bit(node), .into = into, .branch = branch},
                [&] { return path_.get_branch(into, node, branch); });
}

Status Witness::set_params(Variable node, Variable first, Variable second) {
  return judged({.op = Op::set_params, .given = bit(node) | bit(first) | bit(second)},
                [&] { return path_.set_params(node, first, second); });
}

Status Witness::destroy_node(Variable node) {
  return judged({.op = Op::destroy_node, .given = bit(node)},
                [&] { return path_.destroy_node(node); });
}

Status Witness::clone(Variable into, Variable definition) {
  return judged({.op = Op::clone, .given = bit(definition), .into = into},
                [&] { return path_.clone(into, definition); });
}

Status Witness::add_alloc(Variable into, Variable definition) {
  return judged({.op = Op::add_alloc, .given = bit(definition), .into = into},
                [&] { return path_.add_alloc(into, definition); });
}

Status Witness::add_free(Variable into, Variable definition, Variable node) {
  return judged({.op = Op::add_free, .given = bit(definition) | bit(node), .into = into},
                [&] { return path_.add_free(into, definition, node); });
}

Status Witness::add_scratch(Variable into, Variable definition, Variable module, Variable node,
                            Variable buffer) {
  return judged({.op = Op::add_scratch,
                 .given = bit(definition) | bit(module) | bit(node) | bit(buffer),
                 .into = into},
                [&] { return path_.add_scratch(into, definition, module, node, buffer); });
}

Status Witness::set_attribute(Variable buffer, Variable definition) {
  return judged({.op = Op::set_attribute, .given = bit(buffer) | bit(definition)},
                [&] { return path_.set_attribute(buffer, definition); });
}

Status Witness::begin_building(Variable into) {
  return judged({.op = Op::begin_building, .into = into},
                [&] { return path_.begin_building(into); });
}

Status Witness::launch_captured(Variable builder, Variable module, Variable buffer) {
  return judged({.op = Op::launch_captured, .given = bit(builder) | bit(module) | bit(buffer)},
                [&] { return path_.launch_captured(builder, module, buffer); });
}

Status Witness::end_building(Variable builder) {
  return judged({.op = Op::end_building, .given = bit(builder)},
                [&] { return path_.end_building(builder); });
}

Status Witness::complete(Variable into, Variable builder) {
  return judged({.op = Op::complete, .given = bit(builder), .into = into},
                [&] { return path_.complete(into, builder); });
}

Status Witness::instantiate(Variable into, Variable definition) {
  return judged({.op = Op::instantiate, .given = bit(definition), .into = into},
                [&] { return path_.instantiate(into, definition); });
}

Status Witness::upload(Variable graph, StreamName stream) {
  return judged({.op = Op::upload, .given = bit(graph), .stream = stream},
                [&] { return path_.upload(graph, stream); });
}

Status Witness::launch(Variable graph, StreamName stream) {
  return judged({.op = Op::launch, .given = bit(graph), .stream = stream},
                [&] { return path_.launch(graph, stream); });
}

Status Witness::update_node(Variable graph, Variable node, Variable first, Variable second) {
  return judged({.op = Op::update_node, .given = bit(graph) | bit(node) | bit(first) | bit(second)},
                [&] { return path_.update_node(graph, node, first, second); });
}

Status Witness::update(Variable graph, Variable definition) {
  return judged({.op = Op::update, .given = bit(graph) | bit(definition)},
                [&] { return path_.update(graph, definition); });
}

Status Witness::close_graph(Variable graph) {
  return judged({.op = Op::close_graph, .given = bit(graph)},
                [&] { return path_.close_graph(graph); });
}

Status Witness::alias(Variable into, Variable from) {
  return judged({.op = Op::alias, .given = bit(from), .into = into},
                [&] { return path_.alias(into, from); });
}

Status Witness::drop(Variable variable) {
  return judged({.op = Op::drop, .given = bit(variable)}, [&] { return path_.drop(variable); });
}

Status Witness::make_cycle(Variable variable) {
  return judged({.op = Op::make_cycle, .given = bit(variable)},
                [&] { return path_.make_cycle(variable); });
}

Status Witness::plant(Mischief mischief, Variable victim) {
  return judged({.op = Op::plant}, [&] { return path_.plant(mischief, victim); });
}

Status Witness::collect(std::uint32_t generation) {
  return judged({.op = Op::collect}, [&] { return path_.collect(generation); });
}

Status Witness::synchronize(StreamName stream) {
  return judged({.op = Op::synchronize, .stream = stream},
                [&] { return path_.synchronize(stream); });
}

Status Witness::synchronize_device() {
  return judged({.op = Op::synchronize_device}, [&] { return path_.synchronize_device(); });
}

Status Witness::flood_pending_calls() {
  return judged({.op = Op::flood}, [&] { return path_.flood_pending_calls(); });
}

}  // namespace scenarios::graph_argument
