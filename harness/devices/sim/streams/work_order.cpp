// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/streams/work_order.h"

#include <algorithm>

#include "harness/core/intervention/order.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

// Compares with the names that are reported for a data race: a kernel's name, or the site at which
// other work was submitted.
static bool has(const ExecutablePlan& graph, Label name, Label site) {
  const auto is = [&](const PlanNode& node) {
    return node.params->type == CU_GRAPH_NODE_TYPE_KERNEL ? node.params->label == name
                                                          : site == name;
  };
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), is) ||
         std::any_of(graph.bodies.begin(), graph.bodies.end(),
                     [&](const ExecutablePlan* body) { return has(*body, name, site); });
}

static bool is(const Work& work, Label name) {
  if (work.kind == WorkKind::graph) return has(work.run->plan(), name, work.site);
  return !is_marker(work) && (work.kind == WorkKind::kernel ? work.label : work.site) == name;
}

void WorkOrder::begin() {
  early_.clear();
  before_.clear();
}

void WorkOrder::put_after(Stream& stream, Work& work) {
  bool is_new = false;
  for (const StreamPoint& point : early_) {
    if (point.stream == &stream) continue;
    if (!harness::devices::done(point)) work.after.push_back(point);
    is_new = true;
  }
  if (!is_new) return;
  stream.clock.join(before_);
  Order::current()->kept(Order::current()->early());
}

void WorkOrder::submit(Stream& stream, Work& work) {
  if (work.kind != WorkKind::graph && is(work, Order::current()->late())) put_after(stream, work);
}

void WorkOrder::launch(Stream& stream, Work& work, const ExecutablePlan& graph, Label site) {
  if (has(graph, Order::current()->late(), site)) put_after(stream, work);
}

void WorkOrder::note(const StreamPoint& point, const Work& work) {
  if (!is(work, Order::current()->early())) return;
  early_.push_back(point);
  before_.join(work.kind == WorkKind::graph ? work.run->after() : point.stream->clock);
}

}  // namespace harness::devices
