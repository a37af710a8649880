// How it works. A slot first looks at what there is, then asks which of the ops that make sense
// goes here, then asks for each of its arguments (script_ops.cpp), and calls the path.
#include "scenarios/graph_argument/script.h"

#include <fmt/format.h>

#include <algorithm>

namespace scenarios::graph_argument {

using harness::Label;
using targets::graph_argument::Status;

// ---- what there is ----------------------------------------------------------------------------

const Situation& Script::current_situation() {
  const std::size_t events = scene_.world().history.events().size();
  if (events != situation_events_) {
    situation_ = {take_census(*path_), added_, launched_};
    situation_events_ = events;
    offer_task_ = kNobody;
  }
  return situation_;
}

const OpList& Script::current_offer(const Theme& theme, std::uint32_t task) {
  const Situation& now = current_situation();
  if (task != offer_task_) {
    offer_ = OpList(offer(theme, task, now), theme.favoured, task == 0 ? wanted(now) : 0);
    offer_task_ = task;
  }
  return offer_;
}

// ---- slots ------------------------------------------------------------------------------------

/// The ops from which on there is something to meddle with.
static bool uses(Op op) {
  return op == Op::add_kernel || op == Op::add_memcpy || op == Op::add_memset ||
         op == Op::add_callback || op == Op::add_conditional || op == Op::add_alloc ||
         op == Op::instantiate || op == Op::launch_captured;
}

void Script::take_slot(const Theme& theme, std::uint32_t task, std::uint32_t index) {
  const harness::ActivationScope activation(scene_.world().scheduler, task, index);
  const int picked = scene_.pick_op(current_offer(theme, task));
  if (picked < 0) return;
  const auto op = static_cast<Op>(picked);
  dropped_ = theme.dropped;
  if (task != 0)
    nap();
  else if (uses(op))
    begin_using();
  const Situation now = current_situation();
  if ((applicable(now) & ops(op)) != 0) run_op(op, now, {task, index});
}

// Sleeps, for a number of turns: what a mutator does early is not what it does late.
void Script::nap() {
  constexpr std::array<std::uint32_t, 4> kTurns{0, 8, 24, 64};
  harness::Scheduler& scheduler = scene_.world().scheduler;
  std::uint32_t turns = 0;
  {
    const harness::ActivationScope activation(scheduler, scene_.world().picker.current().name,
                                              "nap", 0);
    turns = kTurns[choose_number(kTurns.size())];
  }
  for (; turns > 0; --turns) scheduler.turn({});
}

void Script::run_op(Op op, const Situation& now, Slot slot) {
  harness::World& world = scene_.world();
  const Label name = kOps[harness::raw(op)].name;
  const harness::SiteScope site(world.scheduler, name);
  const std::size_t event = world.history.events().size();
  world.scheduler.note(harness::EventKind::op, name);
  const Status status = perform(op, now, slot);
  world.history.set_value(event, harness::raw(status));
  if (status != Status::ok) return;
  scene_.count_op(harness::raw(op));
  added_ = added_ || op == Op::add_kernel || op == Op::add_memcpy || op == Op::add_memset ||
           op == Op::add_child || op == Op::add_scratch || op == Op::launch_captured;
}

void Script::begin_using() {
  if (!std::exchange(in_use_, true)) use_.count_down();
}

// ---- what the judges hear ---------------------------------------------------------------------

// A value that comes after a recycled use comes from it: same window, and same contract.
void Script::read(const targets::graph_argument::Reading& reading) {
  harness::World& world = scene_.world();
  world.scheduler.note(harness::EventKind::observe, reading.what, 0,
                       static_cast<std::uint64_t>(reading.observed));
  if (reading.as_expected) return;
  harness::Fault fault = fault_here(harness::FaultKind::wrong_value, reading.what);
  const auto& faults = world.history.faults();
  const auto cause =
      std::find_if(faults.rbegin(), faults.rend(), [](const harness::Fault& earlier) {
        return earlier.kind == harness::FaultKind::recycled_use;
      });
  if (cause != faults.rend()) {
    fault.death_site = cause->death_site;
    fault.use_site = cause->use_site;
  }
  fault.detail = fmt::format("{} instead of {}", reading.observed, reading.expected);
  world.history.add(std::move(fault));
}

harness::Fault Script::fault_here(harness::FaultKind kind, Label object_kind) const {
  const harness::World& world = scene_.world();
  harness::Fault fault;
  fault.kind = kind;
  fault.object_kind = object_kind;
  fault.use_site = world.scheduler.site();
  fault.activation = scene_.world().picker.current().name;
  fault.tick = world.scheduler.now();
  return fault;
}

void Script::accepted_closed(Label what) {
  harness::Fault fault = fault_here(harness::FaultKind::api_misuse, what);
  fault.death_site = "close";
  fault.detail = "closed, and taken for the default one";
  scene_.world().history.add(std::move(fault));
}

void Script::met_stranger(Label what) {
  harness::Fault fault = fault_here(harness::FaultKind::recycled_use, what);
  fault.death_site = "GraphNode.destroy";
  fault.detail = "the handle is another graph's by now";
  scene_.world().history.add(std::move(fault));
}

}  // namespace scenarios::graph_argument
