// How it works. A frame holds how far each node of a graph is; embedded graphs have frames of their
// own, which are entered at the launch (child graphs) or when their node is reached. A node is
// opened when the last one that it waits for is done. Open nodes that take time are taken further
// by step(), one block or one piece of work at a time; the others by pass(), as soon as the stream
// looks.
#include "harness/devices/sim/graph_run.h"

#include <algorithm>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

// ---- frames -----------------------------------------------------------------------------------

void GraphRun::begin(SimDevice& sim, GraphExec& exec, const Clock& before) {
  sim_ = &sim;
  graph_ = exec.root;
  site_ = sim.scheduler().site();
  activation_ = {sim.scheduler().name_next("graph launch"), {}, {}};
  frame_count_ = 0;
  open_.clear();
  root_ = &enter(*graph_, nullptr, 0);
  record_events(*root_);
  after_ = before;
  order_nodes(*root_, before, after_);
}

void GraphRun::start() { open_first(*root_); }

void GraphRun::end() { sim_->graphs.end(*this); }

GraphFrame& GraphRun::enter(const ExecGraph& graph, GraphFrame* parent, std::uint32_t parent_node) {
  if (frame_count_ == frames_.size()) frames_.push_back(std::make_unique<GraphFrame>());
  GraphFrame& frame = *frames_[frame_count_];
  frame.graph = &graph;
  frame.parent = parent;
  frame.parent_node = parent_node;
  frame.order = frame_count_++;
  frame.undone_count = static_cast<std::uint32_t>(graph.nodes.size());
  frame.nodes.assign(graph.nodes.size(), {});
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    frame.nodes[i].waits_for = graph.nodes[i].after_count;
    if (graph.nodes[i].params->type == CU_GRAPH_NODE_TYPE_GRAPH)
      frame.nodes[i].body = &enter(*graph.bodies_of(graph.nodes[i]).front(), &frame, i);
  }
  return frame;
}

/// A record counts from the launch on, and a wait means what was recorded until then.
void GraphRun::record_events(GraphFrame& frame) {
  for (std::uint32_t i = 0; i < frame.nodes.size(); ++i) {
    const ExecNode& node = frame.graph->nodes[i];
    NodeRun& run = frame.nodes[i];
    if (run.body != nullptr) record_events(*run.body);
    Event* event = node.params->event;
    if (event == nullptr) continue;
    if (!event->alive) {
      sim_->used_dead(event->birth);
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
  if (--frame.undone_count == 0 && frame.parent != nullptr)
    complete(*frame.parent, frame.parent_node);
}

static bool is_work(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET;
}

bool GraphRun::takes_time(const Place& place) {
  const ExecNode& node = place.frame->graph->nodes[place.node];
  return node.enabled && is_work(node.params->type);
}

bool GraphRun::can_step() const {
  return std::any_of(open_.begin(), open_.end(),
                     [](const Place& place) { return takes_time(place); });
}

/// Which node goes on: the first (plain), or another one.
GraphRun::Place GraphRun::pick_place() const {
  names_.clear();
  able_.clear();
  for (const Place& place : open_) {
    if (!takes_time(place)) continue;
    names_.push_back(names_.empty() ? 0 : static_cast<std::uint32_t>(name_of(place)) | 1);
    able_.push_back(place);
  }
  return able_[sim_->world->picker.pick_value(Site::order, names_)];
}

void GraphRun::step(Stream& stream) {
  Activation* asker = sim_->world->picker.enter(activation_);
  const Place place = pick_place();
  Work& work = work_of(place);
  if (sim_->step(stream, work)) {
    sim_->finish_part(stream, work);
    complete(*place.frame, place.node);
  }
  sim_->world->picker.leave_to(asker);
}

bool GraphRun::pass(Stream& stream) {
  for (const Place& place : open_)
    if (pass(stream, place)) return true;
  return false;
}

bool GraphRun::pass(Stream& stream, Place place) {
  NodeRun& run = place.frame->nodes[place.node];
  const ExecNode& node = place.frame->graph->nodes[place.node];
  if (run.state != NodeState::open || takes_time(place)) return false;
  switch (node.params->type) {
    case CU_GRAPH_NODE_TYPE_HOST:
      run.state = NodeState::calling;
      sim_->call_host({&stream, this, place.frame, place.node});
      return true;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      run.state = NodeState::inside;
      if (run.body->undone_count > 0)
        open_first(*run.body);
      else
        complete(*place.frame, place.node);
      return true;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      if (!harness::devices::done(run.point)) return false;
      break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      if (run.point.stream != nullptr) sim_->reach(*node.params->event, run.point);
      break;
    default:
      break;
  }
  complete(*place.frame, place.node);
  return true;
}

// ---- nodes ------------------------------------------------------------------------------------

static constexpr Label kNodeKind = "graph node run";

Name GraphRun::name_of(const Place& place) const {
  return derive_name(activation_.name, kNodeKind.hash(), place.frame->order << 16 | place.node);
}

/// The work that the node does, begun when it is first looked for.
Work& GraphRun::work_of(const Place& place) {
  NodeRun& run = place.frame->nodes[place.node];
  if (run.work != nullptr) return *run.work;
  const NodeParams& params = *place.frame->graph->nodes[place.node].params;
  const Name name = name_of(place);
  sim_->world->history.add(
      ActivationRecord{name, activation_.name, kNodeKind, place.frame->order << 16 | place.node});
  run.work = &sim_->make_work(params);
  run.work->site = site_;
  run.work->at = point_of(place);
  run.work->before = place.frame->before[place.node];
  run.work->activation = run.work->launch.activation = name;
  return *run.work;
}

void GraphRun::call(const HostCall& call) {
  const CUDA_HOST_NODE_PARAMS& host = call.frame->graph->nodes[call.node].params->host;
  host.fn(host.userData);
}

}  // namespace harness::devices
