// SPDX-License-Identifier: Apache-2.0
// Calls, variables and waits; update_graphs.cpp has the facts about objects.
#include "scenarios/graph_argument/model/update.h"

#include <algorithm>

#include "scenarios/graph_argument/model/reach.h"

namespace scenarios::graph_argument {

using harness::BirthId;
using harness::Label;

// ---- calls --------------------------------------------------------------------------------------

// The second stream is the last one made; the first and the default stream stay open.
void Update::begins() {
  model_.losses.hold(
      {.life = newest_life(model_.scene.world(), "stream"), .of = Holding::Of::second_stream});
}

Call& Update::begin(const Asked& asked) {
  Call& call = model_.calls.begin(asked);
  call.emptied = model_.names.empty();
  call.stream_was_closed = asked.stream && model_.records.is_closed(*asked.stream);
  return call;
}

void Update::end(Call& call, Status status) {
  constexpr std::uint32_t kFloodCalls = 5;  // A flood of Python's queue lasts for so many calls.
  hold_user_objects(call);
  if (status != Status::ok) fail(call);
  if (call.asked.op == Op::flood) {
    model_.calls.hold_up(kFloodCalls);
    model_.flooded = true;
  }
  model_.calls.end(call);
}

// Updates the model after a failed call.
void Update::fail(const Call& call) {
  model_.losses.change();
  if (call.referred_count != 2) return;
  Wrapped& first = *call.referred[0];
  if (call.asked.op == Op::update) first.exec->updated_by.push_back(call.number);
  if (call.asked.op == Op::add_conditional && call.bound == 0) first.graph->spoilt = true;
}

/// Records the user objects that CUDA has made for the call.
void Update::hold_user_objects(const Call& call) {
  const auto& lives = model_.scene.world().ledger.lives();
  const harness::Name activation = model_.scene.world().picker.current().name;
  for (std::size_t i = call.lives; i < lives.size(); ++i)
    if (lives[i].kind == Label("user object") && lives[i].birth_activation == activation)
      model_.losses.hold({.life = static_cast<BirthId>(i),
                          .of = Holding::Of::call,
                          .graph = call.referred_count > 0 ? call.referred[0]->graph : nullptr,
                          .call = call.number});
}

// ---- variables ----------------------------------------------------------------------------------

void Update::referred(Variable variable, Wrapper wrapper) {
  Call* call = model_.calls.current();
  Wrapped* held = model_.names.held(variable);
  if (call != nullptr && (call->asked.given & bit(variable)) == 0)
    model_.scene.refuse("variable", "loaded, and was not given");
  if (held == nullptr || held->wrapper != wrapper) {
    model_.scene.refuse("variable", "another object than was stored in it");
    held = model_.names.find(wrapper);
  }
  if (call == nullptr || held == nullptr || call->referred_count == Call::kReferenceLimit) return;
  call->referred[call->referred_count++] = held;
}

// An unknown wrapper is the call's result.
void Update::stored(Variable variable, Wrapper wrapper) {
  Call* call = model_.calls.current();
  Wrapped* now = wrapper != Wrapper::none ? model_.names.find(wrapper) : nullptr;
  if (now == nullptr && wrapper != Wrapper::none && call != nullptr && call->made != nullptr) {
    now = call->made;
    now->wrapper = wrapper;
    if (now->thing != nullptr) now->thing->wrapper = wrapper;
  }
  if (model_.names.held(variable) != nullptr) model_.losses.change();
  model_.names.store(variable, now);
  if (call != nullptr && variable == call->asked.into) call->stored = now != nullptr;
  if (now == nullptr)
    for (Call* each : model_.calls.open()) each->emptied |= bit(variable);
}

// Detects a user object's thing that refers to the graph that keeps it: neither is ever released.
void Update::drops_all(bool graphs) {
  if (graphs || !has_cycle(model_.records)) return;
  reach(model_, Window::reference_cycle);
  model_.keeps_itself = true;
}

Wrapped& Update::wrap(Call& call, Kind kind) {
  call.made = &model_.names.wrap(kind);
  return *call.made;
}

// ---- waits --------------------------------------------------------------------------------------

/// Records a capture while the call waits for the device, which invalidates both.
static void meet_capture(Call& waiting, Wrapped& builder) {
  waiting.met_capture = true;
  builder.invalidated = true;
}

// Waiting for the device is forbidden during a capture and invalidates it, also if the capture
// begins before the wait has ended.
void Update::waits(StreamName stream) {
  Call* call = model_.calls.current();
  if (call == nullptr) return;
  call->mark = model_.records.moment();
  if (stream != targets::graph_argument::kEveryStream) return;
  call->waits_for_device = true;
  for (Wrapped* each : model_.names.all())
    if (each->capturing && model_.scene.world().ledger.alive(each->stream))
      meet_capture(*call, *each);
}

/// Records that the launch has ended. Returns whether this is news.
static bool finish(Launch& launch, std::uint32_t wait) {
  if (std::exchange(launch.finished, true)) return false;
  launch.finished_in = wait;
  return true;
}

// Launches of a closed stream went to the default stream, of which there is one per process or per
// thread.
void Update::finished(StreamName stream) {
  Call* call = model_.calls.current();
  if (call == nullptr) return;
  call->waits = model_.calls.count_wait();
  for (Launch& launch : model_.records.launches()) {
    if (launch.begun > call->mark) break;
    if (launch.named == stream && !std::exchange(launch.awaited, true)) let_go(launch.nodes);
    const bool meant =
        stream == targets::graph_argument::kEveryStream ||
        (launch.stream == stream && (stream != StreamName::fallback || launch.task == call->task));
    const bool before = launch.bound != 0 && launch.bound <= call->mark;
    if (before && meant && finish(launch, call->waits)) call->finished_some = true;
  }
  if (call->finished_some) model_.losses.change();
}

void Update::finished_all() {
  const std::uint32_t wait = model_.calls.count_wait();
  for (Launch& launch : model_.records.launches())
    if (finish(launch, wait)) model_.losses.change();
}

// ---- threads of CUDA, and Python's queue --------------------------------------------------------

void Update::capture_failed() {
  reach(model_, Window::capture_invalidated);
  model_.calls.capture_failed();
}

void Update::destructed() {
  ++model_.destructed;
  model_.calls.hold_up();
}

void Update::called_back() {
  if (!model_.calls.quiet()) reach(model_, Window::gil_kept_in_call);
}

// Until the main thread runs the pending calls, no deferred object is released.
void Update::pending_call_refused() {
  reach(model_, Window::pending_queue_full);
  model_.stuck = true;
}

// ---- CUDA has done something --------------------------------------------------------------------

const std::array<void (Update::*)(Call&), kOpCount> Update::kBinds{
#define OP(name, condition, cuda_call, binds, ...) &Update::binds,
#include "scenarios/graph_argument/ops.def"
};

bool Update::is_bound(Op op) { return kBinds[harness::raw(op)] != &Update::unbound; }

void Update::bound() {
  Call* const call = model_.calls.current();
  if (call == nullptr) return;
  ++call->bound;
  (this->*kBinds[harness::raw(call->asked.op)])(*call);
}

void Update::bind_stream_of_free(Call& call) {
  call.referred[0]->thing->stream = *call.asked.stream;
}

void Update::bind_link(Call& call) {
  call.referred[0]->thing->next.push_back(call.referred[1]->thing);
}

void Update::bind_cycle(Call& call) {
  model_.names.add_cycle(newest_life(model_.scene.world(), targets::graph_argument::kCycleKind),
                         call.referred[0]);
}

void Update::bind_closed_stream(Call&) {
  model_.records.close_stream();
  model_.losses.change();
}

void Update::bind_capture(Call& call) {
  Wrapped& builder = wrap(call, Kind::builder);
  builder.capturing = true;
  builder.stream = newest_life(model_.scene.world(), "stream");
  model_.losses.hold({.life = builder.stream, .of = Holding::Of::stream, .builder = &builder});
  for (Call* each : model_.calls.open())
    if (each->waits_for_device) meet_capture(*each, builder);
}

void Update::bind_captured(Call& call) {
  call.referred[0]->capturing = false;
  call.referred[0]->ended = true;
}

void Update::bind_body(Call& call) {
  wrap(call, Kind::definition).graph = call.referred[0]->bodies[call.asked.branch];
}

void Update::bind_destroyed(Call& call) {
  call.referred[0]->destroyed = true;
  model_.losses.change();
}

void Update::bind_launch(Call& call) {
  Launch& launch = model_.records.launches().back();
  launch.bound = model_.records.next_moment();
  // A stream that is closed after the call has loaded it still belongs to the launch.
  launch.stream = call.accepted_closed ? StreamName::fallback : *call.asked.stream;
  model_.scene.exercised();
}

void Update::bind_closed_graph(Call& call) {
  call.referred[0]->exec->closed = true;
  model_.losses.change();
}

}  // namespace scenarios::graph_argument
