// What calls come to in definitions: graphs, their nodes, and what is inside of those.
#include "scenarios/graph_argument/model.h"

namespace scenarios::graph_argument {

using harness::BirthId;

// ---- graphs -------------------------------------------------------------------------------------

ModelGraph& Model::make_graph(ModelGraph* parent, BirthId life) {
  ModelGraph* graph = scene_.world().arena.make<ModelGraph>();
  graph->parent = parent;
  graph->life = life;
  graphs_.push_back(graph);
  hold({.life = life, .of = Holding::Of::graph, .graph = graph});
  return *graph;
}

// Serials stay: an executable made of the copy takes updates by the nodes it was copied from.
ModelGraph& Model::copy(const ModelGraph& graph, ModelGraph* parent) {
  ModelGraph& made = make_graph(parent, BirthId::none);
  made.nodes = graph.nodes;
  made.changed = graph.changed;
  made.endless = graph.endless;
  made.branch = graph.branch;
  made.spoilt = graph.spoilt;
  for (ModelNode& node : made.nodes)
    for (ModelGraph*& body : node.bodies)
      if (body != nullptr) body = &copy(*body, &made);
  return made;
}

ModelNode* Model::find(ModelGraph& graph, std::uint32_t serial) {
  for (ModelNode& node : graph.nodes)
    if (node.serial == serial) return &node;
  return nullptr;
}

ModelNode& Model::add(Call& call, ModelGraph& graph, ModelNode node) {
  node.serial = ++serials_;
  node.made_by = call.number;
  const auto last = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                 [&](const ModelNode& each) { return each.serial == graph.last; });
  if (last != graph.nodes.end())
    node.after = static_cast<std::size_t>(last - graph.nodes.begin()) + 1;
  if (!graph.has_one_handle()) graph.changed = true;  // Which knows its own nodes alone.
  graph.last = node.serial;
  graph.nodes.push_back(node);
  Wrapped& made = wrap(Kind::node);
  made.graph = &graph;
  made.serial = node.serial;
  made.work = node.work;
  made.bodies = node.bodies;
  if (node.helper != nullptr && node.helper->kind == Kind::module) made.module = node.helper;
  call.made = &made;
  return graph.nodes.back();
}

void Model::bind_definition(Call& call) {
  switch (call.asked.op) {
    case Op::create_definition:
      call.made = &wrap(Kind::definition);
      call.made->graph = &make_graph(nullptr, newest("graph"));
      return;
    case Op::clone: {
      ModelGraph& made = copy(*call.referred[0]->graph, nullptr);
      made.life = newest("graph");
      hold({.life = made.life, .of = Holding::Of::graph, .graph = &made});
      call.made = &wrap(Kind::definition);
      call.made->graph = &made;
      return;
    }
    case Op::set_params:
      return change(call);
    case Op::destroy_node: {
      Wrapped& node = *call.referred[0];
      node.destroyed = node.graph->changed = lost_some_ = true;
      if (is_conditional(node.work)) node.graph->spoilt = true;
      if (node.graph->last == node.serial) node.graph->last = 0;
      if (const ModelNode* found = find(*node.graph, node.serial))
        for (ModelGraph* body : found->bodies)
          if (body != nullptr) mark_destroyed(*body);
      std::erase_if(node.graph->nodes,
                    [&](const ModelNode& each) { return each.serial == node.serial; });
      return;
    }
    case Op::begin_building:
      call.made = &wrap(Kind::builder);
      call.made->capturing = true;
      call.made->graph = &make_graph(nullptr, BirthId::none);
      call.made->stream = newest("stream");
      hold({.life = call.made->stream, .of = Holding::Of::stream, .builder = call.made});
      for (Call* each : calls_)
        if (each->waits_for_device) meet(*each, *call.made);
      return;
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

void Model::mark_destroyed(ModelGraph& graph) {
  graph.destroyed = true;
  for (const ModelNode& node : graph.nodes)
    for (ModelGraph* body : node.bodies)
      if (body != nullptr) mark_destroyed(*body);
}

// ---- nodes --------------------------------------------------------------------------------------

std::array<Thing*, 2> things_of(Work work, const Wrapped& first, const Wrapped& second) {
  const bool one = work == Work::add_one || work == Work::produce;
  return {first.thing, one ? nullptr : second.thing};
}

static Work work_of(Kernel kernel) {
  static constexpr std::array<Work, targets::graph_argument::kKernelCount> kWork{
      Work::add_one, Work::saxpy, Work::block_sum, Work::consume, Work::chase};
  return kWork[harness::raw(kernel)];
}

void Model::bind_node(Call& call) {
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

// The node's own wrapper knows it by its serial, which stays.
void Model::change(Call& call) {
  const Wrapped& wrapped = *call.referred[0];
  ModelNode* node = find(*wrapped.graph, wrapped.serial);
  if (node == nullptr) return;
  node->things = things_of(node->work, *call.referred[1], *call.referred[2]);
  node->made_by = call.number;
  lost_some_ = true;
}

// ---- nodes with graphs inside, and memory of graphs ---------------------------------------------

void Model::bind_inside(Call& call) {
  ModelGraph& graph = *call.referred[0]->graph;
  switch (call.asked.op) {
    case Op::add_child:
      add(call, graph, {.work = Work::child, .bodies = {&copy(*call.referred[1]->graph, &graph)}});
      return;
    case Op::get_child:
    case Op::get_branch:
      call.made = &wrap(Kind::definition);
      call.made->graph = call.referred[0]->bodies[call.asked.branch];
      return;
    case Op::add_conditional:
      return add_conditional(call);
    case Op::add_alloc:
      add(call, graph, {.work = Work::allocation});
      return;
    case Op::add_free:
      freed_.push_back(call.referred[1]->serial);
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

// First the node with its branches; then, of a loop, what ends it.
void Model::add_conditional(Call& call) {
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

}  // namespace scenarios::graph_argument
