// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/judges/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"
#include "harness/run/scenario/kernels.h"
#include "scenarios/graph_argument/judges/cuda_calls.h"
#include "scenarios/graph_argument/model/reach.h"
#include "scenarios/graph_argument/model/refuse.h"
#include "scenarios/graph_argument/model/update.h"

namespace scenarios::graph_argument {

using harness::Label;
using targets::graph_argument::kNowhere;
using targets::graph_argument::Status;

namespace {

// ---- missing work -------------------------------------------------------------------------------

/// Returns how often CUDA must have done something for a call that returns ok.
std::uint32_t bound_least(const Asked& asked) {
  const bool adds_two =
      (asked.op == Op::add_kernel && asked.kernel == Kernel::produce_consume) ||
      (asked.op == Op::add_conditional && asked.condition == Condition::while_loop);
  if (adds_two) return 2;
  return Update::is_bound(asked.op) ? 1 : 0;
}

bool is_done(const Call& call) {
  const Asked& asked = call.asked;
  if (call.bound < bound_least(asked)) return false;
  if (asked.into != kNowhere && !call.stored) return false;
  if (asked.op == Op::drop) return (call.emptied & asked.given) != 0;
  if (asked.op == Op::close_buffer || asked.op == Op::close_event)
    return call.referred_count > 0 && call.referred[0]->thing->closed;
  const bool waits = asked.op == Op::synchronize || asked.op == Op::synchronize_device;
  return !waits || call.waits > 0;
}

}  // namespace

void report_reused_handle(harness::Scene& scene) {
  harness::Fault fault =
      harness::fault_here(scene, harness::FaultKind::recycled_use, "embedded graph",
                          "the handle is another graph's by now");
  fault.death_site = "GraphNode.destroy";
  scene.world().history.add(std::move(fault));
}

void report_accepted_stream(harness::Scene& scene, std::string detail) {
  harness::Fault fault =
      harness::fault_here(scene, harness::FaultKind::api_misuse, "Stream", std::move(detail));
  fault.death_site = "close";
  scene.world().history.add(std::move(fault));
}

/// Judges a use of a handle that had died, in a way that was not reported, like the graph of a
/// capture.
static void judge_ended_handle(Model& model, const Call& call) {
  if (!call.met_ended || model.scene.world().history.faults().size() > call.faults) return;
  reach(model, Window::handle_reused);
  report_reused_handle(model.scene);
}

void judge_answer(Model& model, const Call& call, Status status) {
  harness::Scene& scene = model.scene;
  const Label name = kOps[harness::raw(call.asked.op)].name;
  const CallsMade made = calls_made(scene.world().history, call);
  if (made.pushed != 0) scene.refuse(name, "left another context current");
  if (status == Status::ok) {
    if (!made.asked_for || !is_done(call)) scene.refuse(name, "ok, and left undone");
    if (made.failed) scene.refuse(name, "ok, although CUDA has failed");
    judge_ended_handle(model, call);
    if (call.stream_was_closed && !call.accepted_closed)  // The path has not reported it.
      report_accepted_stream(scene, "closed, and taken for another one");
    return;
  }
  const bool has_cause = scene.world().history.faults().size() > call.faults;
  if (has_cause || went_wrong(model, scene.world().scheduler.now())) return;
  if (!may_refuse(model, call, status)) scene.refuse(name, std::string(to_label(status).view()));
}

// ---- work of the device -------------------------------------------------------------------------

namespace {

using Counts = std::array<std::uint32_t, kDeviceWorkCount>;

/// Returns the simulated device's name.
Label device_label(Work work) {
  if (work == Work::copy) return "copy";
  return work == Work::set ? Label("set") : to_label(work);
}

/// Counts finished work. Nodes are counted, but not work that the script itself has queued.
Counts count(const harness::History& history) {
  static const std::array<Label, kDeviceWorkCount> kLabels = [] {
    std::array<Label, kDeviceWorkCount> labels;
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = device_label(static_cast<Work>(i));
    return labels;
  }();
  Counts counts{};
  for (const harness::Event& event : history.events()) {
    const bool ended = event.kind == harness::EventKind::finish;
    if (!ended && event.kind != harness::EventKind::submit) continue;
    const auto found = std::find(kLabels.begin(), kLabels.end(), event.what);
    if (found != kLabels.end())
      counts[static_cast<std::size_t>(found - kLabels.begin())] += ended ? 1u : ~0u;
  }
  return counts;
}

}  // namespace

// The number of a loop's iterations is unknown, and the work of a GPU cannot be observed.
void judge_runs(const Model& model, bool at_end) {
  harness::Scene& scene = model.scene;
  if (!harness::sees_kernels(scene.world())) return;
  if (went_wrong(model, scene.world().scheduler.now())) return;
  Counts least{};
  Counts loops{};
  for (const Launch& launch : model.records.launched()) {
    if (!launch.finished) continue;
    for (const Node& node : launch.nodes)
      if (is_device_work(node.work) && !node.idle)
        ++(node.looped ? loops : least)[harness::raw(node.work)];
  }
  const Counts ran = count(scene.world().history);
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const bool direct = static_cast<Work>(i) == Work::copy;  // Includes the script's own copies.
    if (direct && !at_end) continue;
    if (ran[i] >= least[i] && (!at_end || loops[i] > 0 || ran[i] == least[i])) continue;
    scene.refuse(to_label(static_cast<Work>(i)),
                 fmt::format("ran {} times instead of {}", ran[i], least[i]));
  }
}

}  // namespace scenarios::graph_argument
