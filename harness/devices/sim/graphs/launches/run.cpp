// SPDX-License-Identifier: Apache-2.0
// How it works. A frame holds the progress of each node of a graph. Embedded graphs have their own
// frames, which are entered at the launch (child graphs) or when their node is reached. A node is
// opened when the last node that it waits for is done. Open nodes that take time advance by step(),
// one block or one piece of work at a time. Other nodes are done by pass(), as soon as the stream
// is checked.
#include "harness/devices/sim/graphs/launches/run.h"

#include <algorithm>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/graphs/launches/node_work.h"
#include "harness/devices/sim/graphs/launches/topological_order.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

static bool is_work(const NodeParams& params) {
  const CUgraphNodeType type = params.type;
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
         type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP || params.host_work.function != nullptr;
}

// ---- frames -----------------------------------------------------------------------------------

void GraphRun::begin(SimDevice& sim, Executable& exec, const Clock& before) {
  sim_ = &sim;
  plan_ = exec.root;
  site_ = sim.scheduler().site();
  process_ = sim.scheduler().process();
  activation_ = {sim.scheduler().name_next("graph launch"), {}, {}};
  frame_count_ = next_order_ = 0;
  has_memory_ops_ = has_host_nodes_ = false;
  copies_returned_ = sim.data_races().staging().count();
  unloads_ = sim.handles().unload_count;
  regions_ = sim.memory().regions().change_count();
  open_.clear();
  root_ = &enter(*plan_, nullptr, 0);
  record_events(*root_);
  after_ = before;
  order_nodes(sim_->data_races(), *root_, before, after_);
}

void GraphRun::start() {
  assign_defaults(*plan_);
  open_first(*root_);
}

void GraphRun::assign_defaults(const ExecutablePlan& graph) {
  for (const PlanNode& node : graph.nodes) {
    Conditional* conditional = node.params->conditional;
    if (conditional == nullptr) continue;
    conditional->is_set = conditional->assigns_default;
    if (conditional->assigns_default) conditional->value = conditional->default_value;
  }
  for (const ExecutablePlan* body : graph.bodies) assign_defaults(*body);
}

GraphFrame& GraphRun::enter(const ExecutablePlan& graph, GraphFrame* parent,
                            std::uint32_t parent_node) {
  if (frame_count_ == frames_.size()) frames_.push_back(std::make_unique<GraphFrame>());
  GraphFrame& frame = *frames_[frame_count_++];
  frame.parent = parent;
  frame.parent_node = parent_node;
  fill(frame, graph);
  return frame;
}

void GraphRun::fill(GraphFrame& frame, const ExecutablePlan& graph) {
  frame.graph = &graph;
  frame.order = next_order_++;
  frame.shared = {};
  frame.undone_count = static_cast<std::uint32_t>(graph.nodes.size());
  frame.nodes.assign(graph.nodes.size(), {});
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    frame.nodes[i].waits_for = graph.nodes[i].after_count;
    has_memory_ops_ |= !graph.nodes[i].params->memory_ops.empty();
    const NodeParams& params = *graph.nodes[i].params;
    has_host_nodes_ |= params.type == CU_GRAPH_NODE_TYPE_HOST && !is_work(params);
    if (graph.nodes[i].params->type == CU_GRAPH_NODE_TYPE_GRAPH)
      frame.nodes[i].body = &enter(*graph.bodies_of(graph.nodes[i]).front(), &frame, i);
  }
}

/// A record takes effect at the launch, and a wait refers to the last record before the launch.
void GraphRun::record_events(GraphFrame& frame) {
  for (std::uint32_t i = 0; i < frame.nodes.size(); ++i) {
    const PlanNode& node = frame.graph->nodes[i];
    NodeRun& run = frame.nodes[i];
    if (run.body != nullptr) record_events(*run.body);
    Event* event = node.params->event;
    if (event == nullptr) continue;
    if (!event->alive) {
      sim_->faults().used_dead(event->birth);
    } else if (node.params->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT) {
      run.point = event->point;
    } else {
      ++event->record_count;
      event->point = run.point = {node.clock, ++node.clock->submitted};
    }
  }
}

// ---- progress ---------------------------------------------------------------------------------

void GraphRun::open_first(GraphFrame& frame) {
  for (std::uint32_t i = 0; i < frame.nodes.size(); ++i)
    if (frame.nodes[i].waits_for == 0) open(frame, i);
}

void GraphRun::open(GraphFrame& frame, std::uint32_t node) {
  frame.nodes[node].state = NodeState::open;
  const auto before = [](const Place& left, const Place& right) {
    return left.frame != right.frame ? left.frame->order < right.frame->order
                                     : left.node < right.node;
  };
  const Place place{&frame, node};
  open_.insert(std::upper_bound(open_.begin(), open_.end(), place, before), place);
}

void GraphRun::complete(GraphFrame& frame, std::uint32_t node) {
  frame.nodes[node].state = NodeState::done;
  std::erase_if(open_, [&](const Place& p) { return p.frame == &frame && p.node == node; });
  for (const std::uint32_t next : frame.graph->dependents_of(frame.graph->nodes[node]))
    if (--frame.nodes[next].waits_for == 0) open(frame, next);
  complete_frame(frame);
}

/// Counts a completed node. The last one completes the frame.
void GraphRun::complete_frame(GraphFrame& frame) {
  if (--frame.undone_count > 0 || frame.parent == nullptr) return;
  const NodeParams& params = *frame.parent->graph->nodes[frame.parent_node].params;
  const bool loops =
      params.conditional != nullptr && params.condition_type == CU_GRAPH_COND_TYPE_WHILE;
  if (!loops) return complete(*frame.parent, frame.parent_node);
  NodeRun& loop = frame.parent->nodes[frame.parent_node];
  loop.state = NodeState::open;
  loop.again = true;
}

bool GraphRun::takes_time(const Place& place) {
  const PlanNode& node = place.frame->graph->nodes[place.node];
  const NodeRun& run = place.frame->nodes[place.node];
  // Repeating a loop takes a step, so that an endless loop is not run within one pass.
  if (run.again) return run.state == NodeState::open;
  return node.enabled && is_work(*node.params);
}

bool GraphRun::can_go(const Place& place) {
  if (!takes_time(place)) return false;
  const bool waits = !place.frame->graph->nodes[place.node].params->memory_ops.empty();
  return !waits || !sim_->steps().held_up(work_of(place));
}

bool GraphRun::can_step() {
  return std::any_of(open_.begin(), open_.end(),
                     [this](const Place& place) { return can_go(place); });
}

/// Chooses the node to advance. The default is the first one.
GraphRun::Place GraphRun::pick_place() {
  names_.clear();
  able_.clear();
  for (const Place& place : open_) {
    if (!can_go(place)) continue;
    names_.push_back(names_.empty() ? 0 : static_cast<std::uint32_t>(name_of(place)) | 1);
    able_.push_back(place);
  }
  return able_[sim_->world().picker.pick_value(Site::order, names_)];
}

bool GraphRun::advance(Stream& stream) {
  while (pass(stream)) {
  }
  if (can_step()) step(stream);
  while (pass(stream)) {
  }
  return done();
}

void GraphRun::step(Stream& stream) {
  Activation* asker = sim_->world().picker.enter(activation_);
  const Place place = pick_place();
  const NodeParams& params = *place.frame->graph->nodes[place.node].params;
  if (params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    decide(place);
  } else if (params.type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
    free_memory(place);
    complete(*place.frame, place.node);
  } else if (Work& work = work_of(place); sim_->steps().step(stream, work)) {
    sim_->queues().finish_part(stream, work);
    complete(*place.frame, place.node);
  }
  sim_->world().picker.leave_to(asker);
}

bool GraphRun::pass(Stream& stream) {
  Activation* asker = sim_->world().picker.enter(activation_);
  const bool passed = std::any_of(open_.begin(), open_.end(),
                                  [&](const Place& place) { return pass(stream, place); });
  sim_->world().picker.leave_to(asker);
  return passed;
}

/// Completes the event of a record node.
void GraphRun::reach(Event& event, const StreamPoint& point) {
  point.stream->completed = point.seq;
  device_edge_release(&point.stream->done_edge);
  sim_->scheduler().touch(point.stream->resource);
  if (event.point.stream == point.stream && event.point.seq == point.seq)
    event.time = sim_->steps().now();
}

bool GraphRun::pass(Stream& stream, Place place) {
  NodeRun& run = place.frame->nodes[place.node];
  const PlanNode& node = place.frame->graph->nodes[place.node];
  if (run.state != NodeState::open || takes_time(place)) return false;
  switch (node.params->type) {
    case CU_GRAPH_NODE_TYPE_HOST:
      run.state = NodeState::calling;
      sim_->host_functions().call({&stream, this, place.frame, place.node});
      return true;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      go_inside(place, *run.body);
      return true;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      decide(place);
      return true;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      // Still allocated: in the last launch an unordered free came before the allocation, and was
      // reported.
      if (!sim_->memory().block(node.params->memory->block).dead) break;
      sim_->graphs().allocations().begin_life(*node.params->memory);
      sim_->data_races().lives_again(node.params->memory->block,
                                     point_of(*place.frame, place.node));
      break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      if (!harness::devices::done(run.point)) return false;
      break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      if (run.point.stream != nullptr) reach(*node.params->event, run.point);
      break;
    default:
      break;
  }
  complete(*place.frame, place.node);
  return true;
}

// ---- embedded graphs and memory ---------------------------------------------------------------

void GraphRun::go_inside(Place place, GraphFrame& body) {
  NodeRun& run = place.frame->nodes[place.node];
  run.state = NodeState::inside;
  run.body = &body;
  if (body.undone_count > 0) return open_first(body);
  ++body.undone_count;  // An empty graph ends like one whose only node is done.
  complete_frame(body);
}

/// Returns the value of a condition. If this launch has not set it, the value is undefined: the
/// default is the one of the last launch, and other values are a choice.
unsigned GraphRun::value_of(Conditional& conditional, std::size_t body_count) {
  if (conditional.is_set) [[likely]]
    return conditional.value;
  sim_->faults().misuse("conditional value", "asked in a launch that has not set it");
  conditional.is_set = true;
  const auto values = static_cast<std::uint32_t>(std::min<std::size_t>(body_count, 7)) + 1;
  const std::uint32_t picked = sim_->processes().leeway().pick("value of a condition", values + 1);
  if (picked != 0) conditional.value = picked - 1;
  return conditional.value;
}

/// Decides which body of a conditional node runs now, if any.
void GraphRun::decide(Place place) {
  const PlanNode& node = place.frame->graph->nodes[place.node];
  const auto bodies = place.frame->graph->bodies_of(node);
  const unsigned value = value_of(*node.params->conditional, bodies.size());
  std::size_t chosen = value;
  if (node.params->condition_type != CU_GRAPH_COND_TYPE_SWITCH) chosen = value != 0 ? 0 : 1;
  if (chosen >= bodies.size()) return complete(*place.frame, place.node);
  GraphFrame* body = place.frame->nodes[place.node].body;
  if (body == nullptr)
    body = &enter(*bodies[chosen], place.frame, place.node);
  else
    fill(*body, *bodies[chosen]);
  order_body(*body, point_of(*place.frame, place.node), place.frame->before[place.node]);
  go_inside(place, *body);
}

void GraphRun::free_memory(Place place) {
  const NodeParams& params = *place.frame->graph->nodes[place.node].params;
  const std::uint32_t block = params.memory->block;
  if (sim_->memory().block(block).dead)
    return sim_->ledger().double_free(sim_->memory().block(block).story());
  if (sim_->data_races().on())
    sim_->data_races().freed(block, {point_of(*place.frame, place.node),
                                     place.frame->before[place.node],
                                     site_,
                                     0,
                                     copies_returned_,
                                     {activation_.name, params.captured.activation, 0}});
  sim_->pools().release(block);
}

// ---- nodes ------------------------------------------------------------------------------------

static constexpr Label kNodeKind = "graph node run";

Name GraphRun::name_of(const Place& place) const {
  return derive_name(activation_.name, kNodeKind.hash(), place.frame->order << 16 | place.node);
}

/// Returns the node's work, which is created when it is first asked for.
Work& GraphRun::work_of(const Place& place) {
  NodeRun& run = place.frame->nodes[place.node];
  if (run.work != nullptr) return *run.work;
  const auto& node = place.frame->graph->nodes[place.node];
  const NodeParams& params = *node.params;
  const Name name = name_of(place);
  sim_->world().history.add(
      ActivationRecord{name, activation_.name, kNodeKind, place.frame->order << 16 | place.node});
  run.work = &make_work(*sim_, params);
  run.work->launch.process = process_;
  run.work->launch.is_cooperative = node.attributes->cooperative();
  run.work->site = site_;
  run.work->at = point_of(*place.frame, place.node);
  run.work->before = place.frame->before[place.node];
  run.work->copies_returned = copies_returned_;
  run.work->unloads = unloads_;
  run.work->regions = regions_;
  run.work->activation = run.work->launch.activation = name;
  return *run.work;
}

const NodeParams& GraphRun::params_of(const HostCall& call) {
  return *call.frame->graph->nodes[call.node].params;
}

}  // namespace harness::devices
