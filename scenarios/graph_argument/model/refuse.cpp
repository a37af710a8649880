// SPDX-License-Identifier: Apache-2.0
// The table of documented statuses, by situation. The model alone evaluates each condition, from
// the script's calls, the objects that it closed, its variables, and the number of errors injected
// during the call.
#include "scenarios/graph_argument/model/refuse.h"

#include <algorithm>

#include "harness/core/fault/kinds.h"

namespace scenarios::graph_argument {

using harness::ops;
using targets::graph_argument::Status;

namespace {

std::span<Wrapped* const> referred(const Call& call) {
  return {call.referred.data(), call.referred_count};
}

template <class Test>
bool any_referred(const Call& call, Test test) {
  return std::ranges::any_of(referred(call), test);
}

bool is(const Call& call, harness::Ops members) {
  return (members >> harness::raw(call.asked.op) & 1) != 0;
}

/// Returns whether `test` holds for the first object and the call of an open call of these ops.
template <class Test>
bool any_open(const Model& model, harness::Ops members, Test test) {
  return std::ranges::any_of(model.calls.open(), [&](const Call* each) {
    return is(*each, members) && each->referred_count > 0 && test(*each->referred[0], *each);
  });
}

/// Returns the node that the call works on; null if it was not loaded. A call that adds a node
/// loads its receiver first.
const Wrapped* node_of(const Call& call) {
  const bool adds = is(call, ops(Op::add_free, Op::add_scratch));
  for (const Wrapped* each :
       referred(call).subspan(std::min<std::size_t>(adds, call.referred_count)))
    if (each->kind == Kind::node) return each;
  return nullptr;
}

bool is_memory(const Node& node) {
  return node.work == Work::allocation || node.work == Work::free;
}

bool is_endless(const Graph& graph) {
  return any_within(graph, [](const Graph& each) { return each.endless; });
}

/// Returns whether `test` holds for a node of the graph, or one inside it.
template <class Test>
bool any_node(const Graph& graph, Test test) {
  return any_within(graph,
                    [&](const Graph& each) { return std::ranges::any_of(each.nodes, test); });
}

// ---- situations ---------------------------------------------------------------------------------

bool was_empty(const Model&, const Call& call) { return (call.emptied & call.asked.given) != 0; }

bool is_finalizing(const Model& model, const Call&) { return model.finalizing; }

bool closed_stream(const Model& model, const Call& call) {
  return call.asked.stream && model.records.is_closed(*call.asked.stream);
}

bool closed_object(const Model&, const Call& call) {
  return any_referred(call, [](const Wrapped* each) {
    return (each->thing != nullptr && each->thing->closed) ||
           (each->exec != nullptr && each->exec->closed);
  });
}

bool went_with_its_node(const Model&, const Call& call) {
  return any_referred(call, [](const Wrapped* each) {
    return each->destroyed || (each->graph != nullptr && each->graph->orphaned);
  });
}

/// Returns whether the path used such a graph, which it does not track, and reported this.
bool used_what_went(const Model& model, const Call& call) {
  return call.met_ended && went_with_its_node(model, call);
}

/// Returns whether another call is ending the builder's capture, successfully or not.
bool is_ending(const Model& model, const Wrapped& builder, const Call& but) {
  return any_open(model, ops(Op::end_building), [&](const Wrapped& ending, const Call& call) {
    return &call != &but && &ending == &builder;
  });
}

bool not_capturing(const Model& model, const Call& call) {
  return any_referred(call, [&](const Wrapped* each) {
    return each->kind == Kind::builder && (!each->capturing || is_ending(model, *each, call));
  });
}

bool not_ended(const Model&, const Call& call) { return !call.referred[0]->ended; }

bool other_kind_of_node(const Model&, const Call& call) {
  const Wrapped* node = node_of(call);
  if (node == nullptr) return false;
  if (is(call, ops(Op::set_params, Op::update_node))) return !takes_buffers(node->work);
  if (call.asked.op == Op::get_child) return node->work != Work::child;
  if (is(call, ops(Op::add_free, Op::add_scratch))) return node->work != Work::allocation;
  if (call.asked.op != Op::get_branch) return false;
  return !is_conditional(node->work) || node->bodies[call.asked.branch] == nullptr;
}

bool child_of_itself(const Model&, const Call& call) {
  return call.referred[0]->graph == call.referred[1]->graph;
}

bool never_ends(const Model&, const Call& call) {
  return any_referred(
      call, [](const Wrapped* each) { return each->graph != nullptr && is_endless(*each->graph); });
}

bool was_injected(const Model& model, const Call& call) {
  return model.scene.world().injected_failures != call.injected;
}

bool other_shape(const Model&, const Call& call) {
  const Exec& exec = *call.referred[0]->exec;
  const Graph& graph = *call.referred[1]->graph;
  if (exec.changed || exec.in_doubt || has_changed(graph)) return true;
  NodeList nodes;
  flatten(graph, nodes);
  return !std::equal(nodes.begin(), nodes.end(), exec.nodes.begin(), exec.nodes.end(),
                     [](const Node& a, const Node& b) {
                       const bool kernels = is_kernel(a.work) && is_kernel(b.work);
                       return a.after == b.after && a.inside == b.inside &&
                              (kernels || (a.work == b.work && (!is_memory(a) || a.id == b.id)));
                     });
}

// ---- calls that CUDA refuses --------------------------------------------------------------------

bool has_memory(const Graph& graph) { return any_node(graph, is_memory); }

bool has_memory_or_condition(const Graph& graph) {
  return any_node(graph,
                  [](const Node& node) { return is_memory(node) || is_conditional(node.work); });
}

bool is_spoilt(const Graph& graph) {
  return any_within(graph, [](const Graph& each) { return each.spoilt; });
}

bool waits_in_capture(const Model&, const Call& call) { return call.met_capture; }

bool invalidated(const Model&, const Call& call) {
  return call.referred[0]->invalidated && (call.referred[0]->capturing || call.ended_spoilt);
}

/// Returns whether the builder being made was invalidated, because something waited for the device.
bool spoilt_at_once(const Model&, const Call& call) {
  return call.made != nullptr && call.made->invalidated;
}

/// Returns whether a call adds a condition to this graph or inside: the handle precedes the node.
bool adds_condition(const Model& model, const Graph& graph) {
  return any_open(model, ops(Op::add_conditional), [&](const Wrapped& receiver, const Call&) {
    return &receiver.graph->root() == &graph.root();
  });
}

/// Returns whether a call is instantiating this graph, or has but has not reported it.
bool instantiates(const Model& model, const Graph& graph) {
  return any_open(model, ops(Op::instantiate, Op::complete),
                  [&](const Wrapped& source, const Call&) { return source.graph == &graph; });
}

bool forbidden_inside(const Model& model, const Call& call) {
  const Graph& child = *call.referred[1]->graph;
  return &child.root() == &call.referred[0]->graph->root() || has_memory_or_condition(child) ||
         child.in_branch() || is_spoilt(child) || call.met_condition ||
         adds_condition(model, child);
}

bool forbidden_in_branch(const Model&, const Call& call) {
  return call.referred[0]->graph->in_branch();
}

bool is_inside(const Model&, const Call& call) {
  return call.referred[0]->graph->parent != nullptr;
}

bool not_cloned(const Model&, const Call& call) {
  const Graph& graph = *call.referred[0]->graph;
  return has_memory_or_condition(graph) || graph.in_branch();
}

bool fixed_by_memory(const Model&, const Call& call) {
  return has_memory(*call.referred[0]->graph);
}

bool has_unused_condition(const Model& model, const Call& call) {
  const Graph& graph = *call.referred[0]->graph;
  return call.met_condition || is_spoilt(graph) || adds_condition(model, graph);
}

/// Returns whether it was alive at some time during the call: another thread may be ending it.
bool lived(const harness::World& world, harness::BirthId id, const Call& call) {
  const harness::Life& life = world.ledger.life(id);
  const auto& events = world.history.events();
  return life.alive || (call.events < events.size() && life.death_tick >= events[call.events].tick);
}

bool is_instantiated(const Model& model, const Call& call) {
  const Graph& graph = *call.referred[0]->graph;
  return has_memory_or_condition(graph) &&
         std::ranges::any_of(model.records.execs(), [&](const Exec* exec) {
           return exec->source == &graph && lived(model.scene.world(), exec->life, call);
         });
}

/// Returns whether an earlier launch has the same allocation.
bool not_freed(const Model& model, const Call& call) {
  return std::ranges::any_of(call.referred[0]->exec->nodes, [&](const Node& node) {
    return node.work == Work::allocation &&
           std::ranges::any_of(model.records.launched(), [&](const Launch& launch) {
             return std::ranges::find(launch.nodes, node.id, &Node::id) != launch.nodes.end();
           });
  });
}

/// Freed by a node of its graph, or left by an executable, maybe of another task just now.
bool freed_before(const Model& model, const Call& call) {
  const Memory* memory = model.records.find_memory(call.referred[1]->node);
  return (memory != nullptr && memory->settled) || instantiates(model, *call.referred[1]->graph);
}

bool not_in_executable(const Model&, const Call& call) {
  const Exec& exec = *call.referred[0]->exec;
  if (exec.in_doubt) return true;
  const Wrapped& node = *call.referred[1];
  const Graph* graph = node.graph;
  while (graph != nullptr && graph != exec.source) graph = graph->parent;
  return graph == nullptr ||
         std::ranges::find(exec.nodes, node.node, &Node::id) == exec.nodes.end();
}

constexpr std::string_view kMemory =
    "cuda.h, cuGraphAddMemAllocNode: such a graph keeps its nodes, has one executable, is not "
    "cloned, and is no child; its memory is freed before it is launched again";
constexpr std::string_view kConditional =
    "CUDA programming guide, conditional nodes: what may be in a branch, one executable, no copies";
constexpr std::string_view kCapture =
    "CUDA programming guide, prohibited and unhandled operations: waiting for the device "
    "invalidates captures";
constexpr std::string_view kClosed = "cuda-python#2627: closed objects are refused";
constexpr std::string_view kBuilder = "cuda.core docs, GraphBuilder: its states";

constexpr harness::Ops kAll = ~harness::Ops{0};
constexpr harness::Ops kCaptures = ops(Op::launch_captured, Op::end_building);

constexpr std::array kRefusals{
    Refusal{Status::name_error, kAll, 0, was_empty, "Python: the variable is empty"},
    Refusal{Status::finalized, kAll, 0, is_finalizing, "Python: after Py_Finalize"},
    Refusal{Status::closed, kAll, 0, closed_stream, kClosed},
    Refusal{Status::closed, kAll, 0, closed_object, kClosed},
    Refusal{Status::closed, kAll, 0, went_with_its_node,
            "cuda-python#2357: a graph that went with its node is closed"},
    Refusal{Status::closed, kCaptures, 0, not_capturing, kBuilder},
    Refusal{Status::closed, ops(Op::complete), 1, not_ended, kBuilder},
    Refusal{Status::type_error, kAll, 0, other_kind_of_node,
            "cuda.core docs, GraphNode: its kinds"},
    Refusal{Status::type_error, ops(Op::add_child), 2, child_of_itself,
            "CUDA: a graph is not embedded in itself"},
    Refusal{Status::type_error, ops(Op::instantiate, Op::update, Op::complete), 0, never_ends,
            "the script does not run a loop that nothing ends"},
    Refusal{Status::driver_error, kAll, 0, was_injected, "the run's own"},
    Refusal{Status::driver_error, kAll, 0, used_what_went,
            "CUDA: their handles are not valid any more"},
    Refusal{Status::driver_error, ops(Op::synchronize_device), 0, waits_in_capture, kCapture},
    Refusal{Status::driver_error, kCaptures, 1, invalidated, kCapture},
    Refusal{Status::driver_error, ops(Op::begin_building), 0, spoilt_at_once,
            "cuda.h, cuStreamGetCaptureInfo: a capture that is not valid any more has no graph to "
            "tell"},
    Refusal{Status::driver_error, ops(Op::add_child), 2, forbidden_inside, kMemory},
    Refusal{Status::driver_error, ops(Op::add_record, Op::add_wait, Op::add_callback), 1,
            forbidden_in_branch, kConditional},
    Refusal{Status::driver_error, ops(Op::add_alloc, Op::add_free), 1, is_inside, kConditional},
    Refusal{Status::driver_error, ops(Op::clone), 1, not_cloned, kMemory},
    Refusal{Status::driver_error, ops(Op::destroy_node), 1, fixed_by_memory, kMemory},
    Refusal{Status::driver_error, ops(Op::instantiate), 1, is_inside,
            "cuda.h, cuGraphInstantiate: a graph that belongs to a node is not launched by itself"},
    Refusal{Status::driver_error, ops(Op::instantiate), 1, has_unused_condition,
            "cuda.h, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED"},
    Refusal{Status::driver_error, ops(Op::instantiate), 1, is_instantiated, kMemory},
    Refusal{Status::driver_error, ops(Op::launch), 1, not_freed, kMemory},
    Refusal{Status::driver_error, ops(Op::add_free), 2, freed_before, kMemory},
    Refusal{Status::driver_error, ops(Op::update_node), 4, not_in_executable,
            "cuda.h, cuGraphExecKernelNodeSetParams: the node must be in what it was made of"},
    Refusal{Status::update_failed, ops(Op::update), 2, other_shape,
            "cuda.h, cuGraphExecUpdate: the topology must be the same"},
    Refusal{Status::update_failed, ops(Op::update), 0, used_what_went,
            "CUDA: the handle may be another graph's by now, of whatever shape"},
};

}  // namespace

std::span<const Refusal> refusals() { return kRefusals; }

bool may_refuse(const Model& model, const Call& call, Status status) {
  return std::ranges::any_of(kRefusals, [&](const Refusal& each) {
    return each.status == status && is(call, each.ops) && call.referred_count >= each.loaded &&
           each.allowed(model, call);
  });
}

// Calls that may end the capture report this before its state changes.
bool may_say_capturing(const Model& model, Variable variable, bool said) {
  const Wrapped* held = model.names.held(variable);
  return held == nullptr || held->kind != Kind::builder || held->capturing == said ||
         any_open(model, ops(Op::end_building),
                  [&](const Wrapped& ending, const Call&) { return &ending == held; });
}

bool went_wrong(const Model& model, harness::Tick by) {
  return std::ranges::any_of(
      model.scene.world().history.faults(), [&](const harness::Fault& fault) {
        return fault.tick <= by && fault.kind != harness::FaultKind::retention &&
               fault.kind != harness::FaultKind::refusal &&
               fault.kind != harness::FaultKind::wrong_value &&
               !is_caller_error(model.scene.scenario(), fault);
      });
}

}  // namespace scenarios::graph_argument
