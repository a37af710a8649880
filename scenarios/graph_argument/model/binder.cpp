// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/binder.h"

#include <algorithm>

namespace scenarios::graph_argument {

using harness::BirthId;
using harness::Label;

BirthId newest_life(harness::World& world, Label kind) {
  const auto& lives = world.ledger.lives();
  const harness::Name activation = world.picker.current().name;
  for (std::size_t i = lives.size(); i-- > 1;)
    if (lives[i].kind == kind && lives[i].birth_activation == activation)
      return lives[i].alive ? static_cast<BirthId>(i) : BirthId::none;
  return BirthId::none;
}

void meet_capture(Call& waiting, Wrapped& builder) {
  waiting.met_capture = true;
  builder.invalidated = true;
}

void ModelBinder::bind(Call& call) {
  ++call.bound;
  const Op op = call.asked.op;
  if (op < Op::create_definition || op == Op::set_attribute || op == Op::make_cycle)
    return bind_object(call);
  if (op == Op::add_child || op == Op::get_child || op >= Op::add_conditional)
    return bind_inside(call);
  if (op >= Op::add_kernel && op <= Op::add_callback) return bind_node(call);
  if (op < Op::instantiate || (op >= Op::begin_building && op <= Op::end_building))
    return bind_definition(call);
  bind_exec(call);
}

// ---- objects ------------------------------------------------------------------------------------

void ModelBinder::make_thing(Call& call, Kind kind, Label life) {
  Thing& thing = things_.add(kind, newest(life));
  thing.value = call.asked.value;
  if (call.asked.stream && !call.accepted_closed) thing.stream = *call.asked.stream;
  losses_.hold({.life = thing.life, .of = Holding::Of::thing, .thing = &thing});
  call.made = &names_.wrap(kind);
  call.made->thing = &thing;
}

void ModelBinder::bind_object(Call& call) {
  switch (call.asked.op) {
    case Op::allocate:
      make_thing(call, Kind::buffer, "device memory");
      return;
    case Op::load_module:
      make_thing(call, Kind::module, "library");
      return;
    case Op::create_event:
      make_thing(call, Kind::event, "event");
      return;
    case Op::set_deallocation_stream:
      call.referred[0]->thing->stream = *call.asked.stream;
      return;
    case Op::link:
      call.referred[0]->thing->next.push_back(call.referred[1]->thing);
      return;
    case Op::set_attribute:
      call.referred[0]->thing->attribute = call.referred[1]->graph;
      return;
    case Op::make_cycle:
      names_.add_cycle(newest(targets::graph_argument::kCycleKind), call.referred[0]);
      return;
    case Op::close_stream:
      things_.close_stream();
      losses_.change();
      return;
    default:
      return;
  }
}

// ---- definitions --------------------------------------------------------------------------------

Wrapped& ModelBinder::wrap_graph(Call& call, Kind kind, ModelGraph* graph) {
  call.made = &names_.wrap(kind);
  call.made->graph = graph;
  return *call.made;
}

ModelGraph& ModelBinder::make_graph(ModelGraph* parent, BirthId life) {
  ModelGraph& graph = graphs_.add(parent, life);
  losses_.hold({.life = life, .of = Holding::Of::graph, .graph = &graph});
  return graph;
}

void ModelBinder::begin_building(Call& call) {
  Wrapped& builder = wrap_graph(call, Kind::builder, &make_graph(nullptr, BirthId::none));
  builder.capturing = true;
  builder.stream = newest("stream");
  losses_.hold({.life = builder.stream, .of = Holding::Of::stream, .builder = &builder});
  for (Call* each : calls_.open())
    if (each->waits_for_device) meet_capture(*each, builder);
}

static void mark_destroyed(ModelGraph& graph) {
  graph.destroyed = true;
  for (const ModelNode& node : graph.nodes)
    for (ModelGraph* body : node.bodies)
      if (body != nullptr) mark_destroyed(*body);
}

void ModelBinder::destroy_node(Wrapped& node) {
  node.destroyed = node.graph->changed = true;
  losses_.change();
  if (is_conditional(node.work)) node.graph->spoilt = true;
  if (const ModelNode* found = find(*node.graph, node.serial))
    for (ModelGraph* body : found->bodies)
      if (body != nullptr) mark_destroyed(*body);
  std::erase_if(node.graph->nodes,
                [&](const ModelNode& each) { return each.serial == node.serial; });
}

void ModelBinder::bind_definition(Call& call) {
  switch (call.asked.op) {
    case Op::create_definition:
      wrap_graph(call, Kind::definition, &make_graph(nullptr, newest("graph")));
      return;
    case Op::clone: {
      ModelGraph& made = graphs_.copy(*call.referred[0]->graph, nullptr);
      made.life = newest("graph");
      losses_.hold({.life = made.life, .of = Holding::Of::graph, .graph = &made});
      wrap_graph(call, Kind::definition, &made);
      return;
    }
    case Op::set_params:
      return change(call);
    case Op::destroy_node:
      return destroy_node(*call.referred[0]);
    case Op::begin_building:
      return begin_building(call);
    case Op::launch_captured:
      add(call, *call.referred[0]->graph,
          {.work = Work::captured,
           .things = {call.referred[2]->thing},
           .helper = call.referred[1]->thing});
      return;
    default:  // end_building
      call.referred[0]->capturing = false;
      call.referred[0]->ended = true;
      return;
  }
}

// ---- nodes --------------------------------------------------------------------------------------

ModelNode& ModelBinder::add(Call& call, ModelGraph& graph, ModelNode node) {
  node.made_by = call.number;
  ModelNode& added = graphs_.add_node(graph, node, call.after());
  Wrapped& made = wrap_graph(call, Kind::node, &graph);
  made.serial = added.serial;
  made.work = added.work;
  made.bodies = added.bodies;
  if (added.helper != nullptr && added.helper->kind == Kind::module) made.module = added.helper;
  return added;
}

static Work work_of(Kernel kernel) {
  static constexpr std::array<Work, targets::graph_argument::kKernelCount> kWork{
      Work::add_one, Work::saxpy, Work::block_sum, Work::consume, Work::chase};
  return kWork[harness::raw(kernel)];
}

void ModelBinder::bind_node(Call& call) {
  const Asked& asked = call.asked;
  ModelGraph& graph = *call.referred[0]->graph;
  const auto thing = [&](std::size_t index) { return call.referred[index]->thing; };
  switch (asked.op) {
    case Op::add_kernel: {
      const bool produces = asked.kernel == Kernel::produce_consume && call.bound == 1;
      const Work work = produces ? Work::produce : work_of(asked.kernel);
      add(call, graph,
          {.work = work,
           .things = things_of(work, *call.referred[2], *call.referred[3]),
           .helper = thing(1)});
      return;
    }
    case Op::add_memcpy:
      add(call, graph, {.work = Work::copy, .things = {thing(1), thing(2)}});
      return;
    case Op::add_memset:
      add(call, graph, {.work = Work::set, .things = {thing(1)}, .value = asked.value});
      return;
    case Op::add_record:
    case Op::add_wait:
      add(call, graph,
          {.work = asked.op == Op::add_record ? Work::record : Work::wait, .helper = thing(1)});
      return;
    default:
      add(call, graph, {.work = Work::callback});
      return;
  }
}

// The node's own wrapper identifies it by its serial, which does not change.
void ModelBinder::change(Call& call) {
  const Wrapped& wrapped = *call.referred[0];
  ModelNode* node = find(*wrapped.graph, wrapped.serial);
  if (node == nullptr) return;
  node->things = things_of(node->work, *call.referred[1], *call.referred[2]);
  node->made_by = call.number;
  losses_.change();
}

// ---- nodes with graphs inside, and memory of graphs ---------------------------------------------

void ModelBinder::bind_inside(Call& call) {
  ModelGraph& graph = *call.referred[0]->graph;
  switch (call.asked.op) {
    case Op::add_child:
      add(call, graph,
          {.work = Work::child, .bodies = {&graphs_.copy(*call.referred[1]->graph, &graph)}});
      return;
    case Op::get_child:
    case Op::get_branch:
      wrap_graph(call, Kind::definition, call.referred[0]->bodies[call.asked.branch]);
      return;
    case Op::add_conditional:
      return add_conditional(call);
    case Op::add_alloc:
      add(call, graph, {.work = Work::allocation});
      return;
    case Op::add_free:
      graphs_.free(call.referred[1]->serial);
      add(call, graph, {.work = Work::free});
      return;
    default:
      add(call, graph,
          {.work = Work::scratch,
           .things = {call.referred[3]->thing},
           .helper = call.referred[1]->thing});
      return;
  }
}

// First the node with its branches; then, for a loop, the node that ends it.
void ModelBinder::add_conditional(Call& call) {
  const Asked& asked = call.asked;
  ModelGraph& graph = *call.referred[0]->graph;
  const bool loops = asked.condition == Condition::while_loop;
  if (call.bound > 1) {
    Wrapped* const made = call.made;
    ModelGraph& body = *made->bodies[0];
    add(call, body, {.work = Work::leave, .helper = call.referred[1]->thing});
    body.endless = false;
    call.made = made;
    return;
  }
  ModelNode node{
      .work = static_cast<Work>(harness::raw(Work::if_then) + harness::raw(asked.condition)),
      .value = static_cast<std::int32_t>(asked.branch)};
  const std::size_t count = loops || asked.condition == Condition::if_then ? 1 : 2;
  for (std::size_t i = 0; i < count; ++i) {
    node.bodies[i] = &make_graph(&graph, BirthId::none);
    node.bodies[i]->branch = true;
  }
  node.bodies[0]->endless = loops && asked.branch == 0;
  add(call, graph, node);
}

// ---- executables --------------------------------------------------------------------------------

void ModelBinder::instantiate(Call& call, ModelGraph& graph) {
  ModelExec& exec = runs_.add_exec(graph, newest("executable graph"));
  exec.made_by = call.number;
  graphs_.leave_memory(graph);
  losses_.hold({.life = exec.life, .of = Holding::Of::exec, .exec = &exec});
  call.made = &names_.wrap(Kind::graph);
  call.made->exec = &exec;
}

void ModelBinder::launch(Call& call) {
  ModelLaunch& launch = runs_.add_launch(*call.referred[0]->exec);
  // A stream that is closed after the call has loaded it still belongs to the launch.
  launch.stream = call.accepted_closed ? StreamName::fallback : *call.asked.stream;
  launch.task = call.task;
}

void ModelBinder::update_node(Call& call) {
  ModelExec& exec = *call.referred[0]->exec;
  const Wrapped& wrapped = *call.referred[1];
  for (ModelNode& node : exec.nodes) {
    if (!node.is(wrapped.serial, wrapped.graph)) continue;
    exec.given.push_back(node);  // Kept until the next whole update.
    node.work = wrapped.work;    // An update may have changed the kernel.
    node.things = things_of(node.work, *call.referred[2], *call.referred[3]);
    exec.given.push_back(node);
    exec.given.back().helper = wrapped.module;
  }
}

void ModelBinder::update(Call& call) {
  ModelExec& exec = *call.referred[0]->exec;
  ModelRuns::update(exec, *call.referred[1]->graph);
  exec.made_by = 0;
  exec.updated_by.assign(1, call.number);
  losses_.change();
}

void ModelBinder::bind_exec(Call& call) {
  switch (call.asked.op) {
    case Op::instantiate:
    case Op::complete:
      return instantiate(call, *call.referred[0]->graph);
    case Op::launch:
      return launch(call);
    case Op::update_node:
      return update_node(call);
    case Op::update:
      return update(call);
    case Op::close_graph:
      call.referred[0]->exec->closed = true;
      return losses_.change();
    default:
      return;
  }
}

}  // namespace scenarios::graph_argument
