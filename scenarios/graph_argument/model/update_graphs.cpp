// SPDX-License-Identifier: Apache-2.0
// Facts about things, graphs and executables. An object that a call has made is its result; CUDA's
// object is the newest of its kind that this op has made, since other ops may have made more.
#include <algorithm>

#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/model/reach.h"
#include "scenarios/graph_argument/model/update.h"

namespace scenarios::graph_argument {

using harness::BirthId;
using harness::Label;

// ---- things -------------------------------------------------------------------------------------

// The script keeps no reference to a function.
void Update::thing_made(ThingId, ThingKind kind) {
  struct Made {
    Label life;
    Kind wrapper;
  };
  static constexpr std::array<Made, 3> kMade{
      {{"device memory", Kind::buffer}, {"library", Kind::module}, {"event", Kind::event}}};
  if (kind == ThingKind::function) {
    model_.records.add_thing(kind, BirthId::none).gone = true;
    return;
  }
  const Made& made = kMade[harness::raw(kind)];
  Thing& thing = model_.records.add_thing(kind, newest_life(model_.scene.world(), made.life));
  Call* call = model_.calls.current();
  if (call == nullptr) return;
  thing.value = call->asked.value;
  if (call->asked.stream && !call->accepted_closed) thing.stream = *call->asked.stream;
  model_.losses.hold({.life = thing.life, .of = Holding::Of::thing, .thing = &thing});
  wrap(*call, made.wrapper).thing = &thing;
}

void Update::reference_dropped(ThingId id) {
  Thing& thing = model_.records.at(id);
  if (--thing.references == 0 && !std::exchange(thing.gone, true)) reach_by_loss(model_, thing);
}

void Update::thing_closed(ThingId id) {
  Thing& thing = model_.records.at(id);
  if (!std::exchange(thing.closed, true)) reach_by_loss(model_, thing);
}

void Update::attribute_set(ThingId buffer, GraphId definition) {
  model_.records.at(buffer).attribute = &model_.records.at(definition);
}

// Adds to the site what only the script can know: that only a captured launch still had the thing.
void Update::thing_ends(ThingId id) {
  Thing& thing = model_.records.at(id);
  thing.end = reach_by_loss(model_, thing);
  if (thing.end != Window::captured_dropped) return;
  harness::Scheduler& scheduler = model_.scene.world().scheduler;
  // The path has its own scope for the site, which ends with the call.
  if (thing.kind == ThingKind::module) harness::SiteScope::rename(scheduler, kModuleCapturedSite);
  if (thing.kind == ThingKind::buffer && !thing.closed)
    harness::SiteScope::rename(scheduler, kBufferCapturedSite);
}

// ---- graphs -------------------------------------------------------------------------------------

// A graph that is made inside of another one is a branch. Until its node is added, it has none.
void Update::graph_made(GraphId, GraphId parent) {
  Graph& graph = model_.records.add_graph(model_.records.find(parent));
  graph.branch = graph.orphaned = graph.parent != nullptr;
  if (graph.parent == nullptr) name_root(graph);
}

void Update::graph_cloned(GraphId, GraphId from, GraphId parent) {
  Graph* around = model_.records.find(parent);
  Graph& copy = model_.records.copy_graph(model_.records.at(from), around);
  if (around == nullptr) return name_root(copy);
  set_orphaned(copy, true);
  around->ever.insert(around->ever.end(), copy.ever.begin(), copy.ever.end());
}

// A builder exists already; CUDA has no graph of it yet.
void Update::name_root(Graph& graph) {
  Call* call = model_.calls.current();
  if (call == nullptr) return;
  if (call->made == nullptr) {
    model_.losses.hold({.life = newest_life(model_.scene.world(), "graph"),
                        .of = Holding::Of::graph,
                        .graph = &graph});
    wrap(*call, Kind::definition);
  }
  call->made->graph = &graph;
}

void Update::graph_dropped(GraphId id) {
  Graph& graph = model_.records.at(id);
  graph.dropped = true;
  let_go(graph.nodes);
}

void Update::handle_born(std::uint64_t handle) {
  if (std::erase(model_.dead_handles, handle) > 0) reach(model_, Window::handle_reused);
}

/// CUDA's thread releases objects that only these nodes still had.
void Update::let_go(const NodeList& nodes) {
  if (has_last_of(model_.records, nodes)) reach(model_, Window::dropped_in_callback);
}

// ---- nodes --------------------------------------------------------------------------------------

void Update::node_added(GraphId id, NodeId added, const NodeFacts& facts) {
  Records& records = model_.records;
  Graph& graph = records.at(id);
  Node node{.work = facts.work,
            .id = added,
            .things = named(facts.things),
            .helper = records.find(facts.helper),
            .value = static_cast<std::int32_t>(facts.branch),
            .by_address = facts.by_address};
  for (std::size_t i = 0; i < node.bodies.size(); ++i)
    if (Graph* body = node.bodies[i] = records.find(facts.bodies[i]); body != nullptr)
      set_orphaned(*body, false);
  if (facts.work == Work::allocation) node.memory = &records.add_memory(added, graph);
  if (facts.work == Work::free) memory_of(facts.allocation).settled = true;
  Call* call = model_.calls.current();
  if (call != nullptr) take_arguments(*call, graph, node);
  for (Thing* thing : node.all())
    if (thing != nullptr) graph.ever.push_back(thing);
  graph.nodes.push_back(node);
  if (call != nullptr) name_node(*call, graph, node);
}

/// Returns the kind of node that the call adds next; the one reported if its op adds only one kind.
static Work work_of(const Call& call, Work reported) {
  using enum Work;
  static constexpr std::array<Work, targets::graph_argument::kKernelCount> kWork{
      add_one, saxpy, block_sum, consume, chase};
  const Asked& asked = call.asked;
  if (asked.op == Op::add_kernel)
    return asked.kernel == Kernel::produce_consume && call.bound == 0
               ? produce
               : kWork[harness::raw(asked.kernel)];
  if (asked.op == Op::add_conditional && call.bound == 0)
    return static_cast<Work>(harness::raw(if_then) + harness::raw(asked.condition));
  return reported;
}

// The buffers that the call was given become the node's in their order. The module that a
// conditional node's call was given is for the node in its body.
void Update::take_arguments(const Call& call, const Graph& graph, Node& node) const {
  node.work = work_of(call, node.work);
  node.made_by = call.number;
  std::array<Thing*, Call::kReferenceLimit> buffers{};
  std::size_t count = 0;
  for (const Wrapped* each : std::span(call.referred).first(call.referred_count)) {
    if (each->thing == nullptr) continue;
    if (each->kind == Kind::buffer)
      buffers[count++] = each->thing;
    else if (!is_conditional(node.work))
      node.helper = each->thing;
  }
  node.things = things_of(node.work, buffers[0], buffers[1]);
  const Asked& asked = call.asked;
  node.value = is_conditional(node.work) ? static_cast<std::int32_t>(asked.branch) : asked.value;
  if (node.work == Work::while_loop) node.bodies[0]->endless = asked.branch == 0;
  const auto before = std::ranges::find(graph.nodes, call.after(), &Node::id);
  if (before != graph.nodes.end())
    node.after = static_cast<std::size_t>(before - graph.nodes.begin()) + 1;
}

// The node that ends a loop has no wrapper.
void Update::name_node(Call& call, Graph& graph, const Node& node) {
  if (node.work == Work::leave) {
    graph.endless = false;
    return;
  }
  Wrapped& made = wrap(call, Kind::node);
  made.graph = &graph;
  made.node = node.id;
  made.work = node.work;
  made.bodies = node.bodies;
  if (node.helper != nullptr && node.helper->kind == ThingKind::module) made.module = node.helper;
}

void Update::node_refused() { reach(model_, Window::attachment_failed); }

void Update::node_attached(GraphId graph, NodeId id, bool well) {
  if (!well) reach(model_, Window::attachment_failed);
  if (Node* node = find(model_.records.at(graph), id)) node->unowned = !well;
}

std::array<Thing*, 2> Update::named(const Things& things) const {
  return {model_.records.find(things[0]), model_.records.find(things[1])};
}

/// Returns the buffers that a call was given to change a node, after a number of other arguments.
static std::array<Thing*, 2> new_things(const Call& call, std::size_t first, const Node& node) {
  return things_of(node.work, call.referred[first]->thing, call.referred[first + 1]->thing);
}

void Update::node_changed(GraphId id, NodeId changed, const Things& given) {
  Graph& graph = model_.records.at(id);
  Node* node = find(graph, changed);
  if (node == nullptr) return;
  const std::array<Thing*, 2> before = std::exchange(node->things, named(given));
  if (const Call* call = model_.calls.current()) {
    node->things = new_things(*call, 1, *node);
    node->made_by = call->number;
  }
  for (const Thing* thing : before)
    if (std::ranges::find(node->things, thing) == node->things.end())
      graph.lost.push_back({changed, thing});
  for (Thing* thing : node->things)
    if (thing != nullptr) graph.ever.push_back(thing);
  model_.losses.change();
}

void Update::node_destroyed(GraphId id, NodeId destroyed) {
  Graph& graph = model_.records.at(id);
  graph.changed = true;
  const Node* node = find(graph, destroyed);
  if (node == nullptr) return;
  if (is_conditional(node->work)) graph.spoilt = true;
  for (Graph* body : node->bodies)
    if (body != nullptr) set_orphaned(*body, true);
  for (const Thing* thing : node->all())
    if (thing != nullptr) graph.lost.push_back({destroyed, thing});
  std::erase_if(graph.nodes, [&](const Node& each) { return each.id == destroyed; });
}

// ---- memory of graphs ---------------------------------------------------------------------------

Memory& Update::memory_of(NodeId allocation) const {
  Memory* memory = model_.records.find_memory(allocation);
  HARNESS_CHECK(memory != nullptr, "a node that was added allocates it");
  return *memory;
}

void Update::frees(GraphId graph, NodeId allocation) {
  const Memory& memory = memory_of(allocation);
  if (memory.graph != &model_.records.at(graph) || memory.freed_in != nullptr)
    reach(model_, Window::graph_memory_misused);
}

void Update::freed(GraphId graph, NodeId allocation) {
  memory_of(allocation).freed_in = &model_.records.at(graph);
}

void Update::works_in(GraphId graph, NodeId allocation) {
  const Memory& memory = memory_of(allocation);
  if (memory.graph != &model_.records.at(graph) || memory.freed_in == memory.graph)
    reach(model_, Window::graph_memory_misused);
}

// ---- executables --------------------------------------------------------------------------------

// The nodes of its definition can no longer free memory.
void Update::exec_made(ExecId, GraphId graph) {
  const Graph& source = model_.records.at(graph);
  Exec& exec =
      model_.records.add_exec(source, newest_life(model_.scene.world(), "executable graph"));
  for (const Node& node : source.nodes)
    if (node.memory != nullptr) node.memory->settled = true;
  model_.losses.hold({.life = exec.life, .of = Holding::Of::exec, .exec = &exec});
  Call* call = model_.calls.current();
  if (call == nullptr) return;
  exec.made_by = call->number;
  wrap(*call, Kind::graph).exec = &exec;
}

// The nodes that are replaced are kept until the next whole update.
void Update::exec_node_changed(ExecId id, NodeId changed, const Things&) {
  const Call* call = model_.calls.current();
  if (call == nullptr) return;
  Exec& exec = model_.records.at(id);
  const Wrapped& wrapped = *call->referred[1];
  for (Node& node : exec.nodes) {
    if (!node.is(changed, wrapped.graph)) continue;
    exec.given.push_back(node);
    node.work = wrapped.work;  // An update may have changed the kernel.
    node.things = new_things(*call, 2, node);
    node.updated = true;
    exec.given.push_back(node);
    exec.given.back().helper = wrapped.module;
  }
}

/// The executable still accepts updates by the nodes that it was made from.
static void keep_ids(std::span<const Node> from, std::span<Node> to) {
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    to[i].id = from[i].id;
    to[i].home = from[i].home;
  }
}

void Update::exec_updated(ExecId id, GraphId graph) {
  Exec& exec = model_.records.at(id);
  exec.latest = &model_.records.at(graph);
  const NodeList before = std::exchange(exec.nodes, {});
  flatten(*exec.latest, exec.nodes);
  keep_ids(before, exec.nodes);
  exec.given.clear();
  exec.in_doubt = exec.appended = false;
  exec.changed = has_changed(*exec.latest);
  exec.made_by = 0;
  if (const Call* call = model_.calls.current()) exec.updated_by.assign(1, call->number);
  model_.losses.change();
}

// By cuda.h, only CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE means that nothing was updated. The
// executable has either its old nodes or those of the graph, so it is unknown how often each of
// them runs, like in a loop.
void Update::exec_in_doubt(ExecId id, GraphId graph) {
  Exec& exec = model_.records.at(id);
  const std::size_t count = exec.nodes.size();
  flatten(model_.records.at(graph), exec.nodes);
  keep_ids(std::span(exec.nodes).first(count), std::span(exec.nodes).subspan(count));
  for (Node& node : exec.nodes) node.looped = true;
  exec.in_doubt = true;
}

void Update::exec_appended(ExecId id) {
  Exec& exec = model_.records.at(id);
  exec.appended = exec.in_doubt;
  if (exec.in_doubt) reach(model_, Window::update_failed);
}

void Update::exec_dropped(ExecId id) {
  Exec& exec = model_.records.at(id);
  exec.dropped = true;
  let_go(exec.nodes);
}

// ---- launches -----------------------------------------------------------------------------------

void Update::launches(ExecId id, StreamName stream) {
  Exec& exec = model_.records.at(id);
  reach_by_launch(model_, exec);
  exec.launched = true;
  // The path has its own scope for the site, which ends with the call.
  if (std::ranges::any_of(exec.nodes, &Node::by_address))
    harness::SiteScope::rename(model_.scene.world().scheduler, kLaunchAddressSite);
  Launch& launch = model_.records.launches().emplace_back();
  launch.nodes = exec.nodes;
  launch.given = exec.given;
  launch.calls = exec.updated_by;
  launch.calls.push_back(exec.made_by);
  launch.exec = &exec;
  launch.named = stream;
  launch.task = model_.scene.world().scheduler.current();
  launch.begun = model_.records.next_moment();
}

}  // namespace scenarios::graph_argument
