// How it works. A slot first looks at what there is, then asks which of the ops that make sense
// goes here, then asks for each of its arguments (script_ops.cpp), and calls the path.
#include "scenarios/graph_argument/script.h"

#include <fmt/format.h>

#include <algorithm>

namespace scenarios::graph_argument {

using harness::Label;
using targets::graph_argument::GraphArgument;
using targets::graph_argument::Kernel;
using targets::graph_argument::Status;
using targets::graph_argument::StreamName;

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

// Several ops ask for the same, because a swarm leaves out many kinds of them.
void Script::take_last_slot(std::uint32_t index) {
  static constexpr std::array<std::uint8_t, 6> kOffered{
      harness::raw(Op::launch),      harness::raw(Op::upload),
      harness::raw(Op::close_graph), harness::raw(Op::synchronize),
      harness::raw(Op::flood),       harness::raw(Op::synchronize_device)};
  if (launched_) return;
  const harness::ActivationScope activation(scene_.world().scheduler, 0, index);
  const int picked = scene_.pick_op(kOffered);
  if (picked < 0) return;
  begin_using();
  const Slot slot{0, index};
  if (!has_trouble()) get_to_launch(slot);
  if (!launched_) launch_anew(slot.value());
  const auto op = static_cast<Op>(picked);
  const Situation now = current_situation();
  if (op != Op::launch && (applicable(now) & ops(op)) != 0) run_op(op, now, slot);
}

// What was closed, and what bare addresses name, is the caller's fault in most launches, and the
// end of the run.
bool Script::has_trouble() const {
  const auto ran = [&](Op op) { return (scene_.ops() >> harness::raw(op) & 1) != 0; };
  return ran(Op::close_buffer) || ran(Op::link) || ran(Op::plant);
}

// With what there is, which may have been closed.
void Script::get_to_launch(const Slot& slot) {
  constexpr int kStepLimit = 4;
  for (int step = 0; step < kStepLimit && !launched_; ++step) {
    const Census census = take_census(*path_);
    const Op op = census.graphs != 0        ? Op::launch
                  : added_                  ? Op::instantiate
                  : census.definitions == 0 ? Op::create_definition
                  : census.modules == 0     ? Op::load_module
                  : census.buffers == 0     ? Op::allocate
                                            : Op::add_kernel;
    const Situation now = current_situation();
    if ((applicable(now) & ops(op)) == 0) return;
    run_op(op, now, slot);
  }
}

// Nothing is left to chance: each op is given what those before it have made.
void Script::launch_anew(std::int32_t value) {
  constexpr Variable kModule = kFirstModule + 1;
  constexpr Variable kDefinition = kFirstDefinition + 2;
  constexpr Variable kBuffer = kFirstBuffer + 4;
  const auto make = [this](Op op, auto call) { return run_call(op, call) == Status::ok; };
  const GraphArgument& path = *path_;
  make(Op::load_module, [&] { return path.objects.load_module(kModule); }) &&
      make(Op::create_definition,
           [&] { return path.definitions.create_definition(kDefinition); }) &&
      make(Op::allocate,
           [&] { return path.objects.allocate(kBuffer, StreamName::first, value); }) &&
      make(Op::add_kernel,
           [&] {
             return path.nodes.add_kernel(targets::graph_argument::kNowhere, kDefinition, kModule,
                                          Kernel::add_one, kBuffer, kBuffer);
           }) &&
      make(Op::instantiate,
           [&] { return path.executables.instantiate(kLastGraph, kDefinition); }) &&
      make(Op::launch, [&] { return path.executables.launch(kLastGraph, StreamName::first); });
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

void Script::run_op(Op op, const Situation& now, const Slot& slot) {
  run_call(op, [&] { return perform(op, now, slot); });
}

void Script::begin_using() {
  if (!std::exchange(in_use_, true)) use_.count_down();
}

// ---- what the judges hear ---------------------------------------------------------------------

// Elements may have different writers; the story tells the first that is wrong, or else the first.
void Script::read(Wrapper buffer, const Contents& contents) {
  const Thing& thing = *model_.buffer_of(buffer);
  const std::uint32_t waits = model_.waits_before();
  const ModelNode* writer = nullptr;  // Of the element before, which most have, too.
  Label what;
  std::int32_t expected = 0;
  std::uint32_t wrong = 0;
  for (; wrong < contents.out.size(); ++wrong) {
    const std::int32_t observed = contents.out[wrong];
    if (writer != nullptr && Model::result(*writer, wrong) == observed) continue;
    if (!model_.explains(thing, waits, wrong, observed, expected, what, writer)) break;
  }
  const bool fits = wrong == contents.out.size();
  const std::int64_t observed = contents.out[fits ? 0 : wrong];
  scene_.world().scheduler.note(harness::EventKind::observe, what, 0,
                                static_cast<std::uint64_t>(observed));
  if (!fits) return report_value(what, observed, expected);
  const bool produced = model_.produced(thing);
  for (std::uint32_t i = 0; i < contents.in.size(); ++i) {
    const std::int32_t given = thing.value + static_cast<std::int32_t>(i);
    if (contents.in[i] != given) return report_value("in", contents.in[i], given);
    const bool untouched = !produced && contents.mid[i] == 0;
    if (!untouched && !model_.explains_mid(thing, waits, i, contents.mid[i]))
      return report_value("mid", contents.mid[i], 2 * given);
  }
  if (!model_.explains_next(thing, contents.next)) report_value("next", 1, 0);
}

// A value that comes after a recycled use comes from it: same window, and same contract.
void Script::report_value(Label what, std::int64_t observed, std::int64_t expected) {
  harness::World& world = scene_.world();
  harness::Fault fault = fault_here(harness::FaultKind::wrong_value, what);
  const auto& faults = world.history.faults();
  const auto cause =
      std::find_if(faults.rbegin(), faults.rend(), [](const harness::Fault& earlier) {
        return earlier.kind == harness::FaultKind::recycled_use;
      });
  if (cause != faults.rend()) {
    fault.death_site = cause->death_site;
    fault.use_site = cause->use_site;
  }
  fault.detail = fmt::format("{} instead of {}", observed, expected);
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

// What a user object keeps refers to the graph that keeps it: nobody will ever let go.
void Script::drops_all(bool graphs) {
  if (graphs || !ghost_.has_cycle()) return;
  ghost_.reach(Window::r20);
  keeps_itself_ = true;
}

void Script::named_closed_stream(bool refused) {
  ghost_.reach(Window::r13);
  if (refused) return;
  model_.accepted_closed();
  harness::Fault fault = fault_here(harness::FaultKind::api_misuse, "Stream");
  fault.death_site = "close";
  fault.detail = "closed, and taken for the default one";
  scene_.world().history.add(std::move(fault));
}

// Dead, the handle is nobody's, and CUDA says so itself.
void Script::named_orphan(std::uint64_t handle, bool refused) {
  ghost_.reach(Window::r10);
  if (refused) return;
  if (ghost_.is_dead(handle)) return model_.met_ended();
  harness::Fault fault = fault_here(harness::FaultKind::recycled_use, "embedded graph");
  fault.death_site = "GraphNode.destroy";
  fault.detail = "the handle is another graph's by now";
  scene_.world().history.add(std::move(fault));
}

}  // namespace scenarios::graph_argument
