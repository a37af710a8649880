// How it works. A call is recorded when it is asked; the path tells when it refers to what a
// variable holds, and when CUDA has done something for it. Only then does the model change, by what
// was asked. What CUDA has made is the newest life of its kind: no task ran in between.
#include "scenarios/graph_argument/model.h"

#include <algorithm>

namespace scenarios::graph_argument {

using harness::BirthId;
using harness::Label;
using targets::graph_argument::Status;

Label to_label(Work work) {
  static constexpr std::array<Label, targets::graph_argument::kWorkCount> kLabels{
      "add_one", "saxpy", "block_sum", "produce", "consume", "chase",      "captured",
      "scratch", "leave", "memcpy",    "memset",  "record",  "wait",       "callback",
      "alloc",   "free",  "child",     "if_then", "if_else", "while_loop", "switch_case"};
  return kLabels[harness::raw(work)];
}

bool went_wrong(const harness::Scene& scene, harness::Tick by) {
  const auto& faults = scene.world().history.faults();
  return std::any_of(faults.begin(), faults.end(), [&](const harness::Fault& fault) {
    return fault.tick <= by && fault.kind != harness::FaultKind::retention &&
           fault.kind != harness::FaultKind::refusal &&
           fault.kind != harness::FaultKind::wrong_value &&
           !is_caller_error(scene.scenario(), fault);
  });
}

// ---- calls --------------------------------------------------------------------------------------

// The second stream is the last that was made; the first and the default one stay.
void Model::begins() { hold({.life = newest("stream"), .of = Holding::Of::second_stream}); }

Call& Model::begin(const Asked& asked) {
  harness::World& world = scene_.world();
  Call* call = world.arena.make<Call>();
  call->asked = asked;
  call->task = world.scheduler.current();
  call->number = ++call_count_;
  call->faults = world.history.faults().size();
  call->events = world.history.events().size();
  call->injected = world.injected_failures;
  call->lives = world.ledger.lives().size();
  call->emptied = empty_;
  call->stream_was_closed = asked.stream && stream_is_closed(*asked.stream);
  calls_.push_back(call);
  return *call;
}

void Model::end(Call& call, Status status) {
  hold_user_objects(call);
  std::erase(calls_, &call);
  if (status != Status::ok) fail(call);
  if (call.asked.op == Op::flood) {
    hold_up(kFloodCalls);
    flooded_ = true;
  }
  if (call.task == main_) ++script_calls_;
}

// What is known of things after a call that failed.
void Model::fail(const Call& call) {
  lost_some_ = true;
  switch (call.asked.op) {
    case Op::update:  // Nobody knows what the executable holds.
      if (call.referred_count == 2) call.referred[0]->exec->updated_by.push_back(call.number);
      return;
    case Op::end_building:  // It is over, well or not.
      if (call.referred_count == 1) call.referred[0]->capturing = false;
      return;
    case Op::add_conditional:
      if (call.referred_count == 2 && call.bound == 0) call.referred[0]->graph->spoilt = true;
      return;
    default:
      return;
  }
}

Call* Model::current() {
  const harness::TaskId task = scene_.world().scheduler.current();
  for (Call* call : calls_)
    if (call->task == task) return call;
  return nullptr;
}

void Model::hold_user_objects(const Call& call) {
  const auto& lives = scene_.world().ledger.lives();
  const harness::Name activation = scene_.world().picker.current().name;
  for (std::size_t i = call.lives; i < lives.size(); ++i)
    if (lives[i].kind == Label("user object") && lives[i].birth_activation == activation)
      hold({.life = static_cast<BirthId>(i),
            .of = Holding::Of::call,
            .graph = call.referred_count > 0 ? call.referred[0]->graph : nullptr,
            .call = call.number});
}

// ---- facts --------------------------------------------------------------------------------------

Wrapped* Model::find(Wrapper wrapper) const {
  for (auto at = wrapped_.rbegin(); at != wrapped_.rend(); ++at)
    if ((*at)->wrapper == wrapper) return *at;
  return nullptr;
}

BirthId Model::newest(Label kind) const {
  const auto& lives = scene_.world().ledger.lives();
  for (std::size_t i = lives.size(); i-- > 1;)
    if (lives[i].kind == kind) return lives[i].alive ? static_cast<BirthId>(i) : BirthId::none;
  return BirthId::none;
}

void Model::referred(Variable variable, Wrapper wrapper) {
  Call* call = current();
  Wrapped* held = variables_[variable];
  if (held == nullptr || held->wrapper != wrapper) {
    scene_.refuse("variable", "another object than was stored in it");
    held = find(wrapper);
  }
  if (call == nullptr || held == nullptr || call->referred_count == Call::kReferenceLimit) return;
  call->referred[call->referred_count++] = held;
}

// What was not known before is what the call has made.
void Model::stored(Variable variable, Wrapper wrapper) {
  Call* call = current();
  Wrapped* now = wrapper != Wrapper::none ? find(wrapper) : nullptr;
  if (now == nullptr && wrapper != Wrapper::none && call != nullptr && call->made != nullptr) {
    now = call->made;
    now->wrapper = wrapper;
    if (now->thing != nullptr) now->thing->wrapper = wrapper;
  }
  if (variables_[variable] != nullptr) lost_some_ = true;
  variables_[variable] = now;
  empty_ = now != nullptr ? empty_ & ~bit(variable) : empty_ | bit(variable);
  if (call != nullptr && variable == call->asked.into) call->stored = now != nullptr;
  if (now == nullptr)
    for (Call* each : calls_) each->emptied |= bit(variable);
}

void Model::closed(Wrapper wrapper) {
  lost_some_ = true;
  if (Wrapped* wrapped = find(wrapper); wrapped != nullptr && wrapped->thing != nullptr)
    wrapped->thing->closed = true;
}

// Waiting for the device is forbidden while somebody captures, and spoils what is captured, also by
// who begins before the wait is over.
void Model::waits(StreamName stream) {
  Call* call = current();
  if (call == nullptr) return;
  call->mark = launches_.size();
  if (stream != targets::graph_argument::kEveryStream) return;
  call->waits_for_device = true;
  for (Wrapped* each : wrapped_)
    if (each->capturing && is_alive(each->stream)) meet(*call, *each);
}

void Model::meet(Call& waiting, Wrapped& builder) {
  waiting.met_capture = true;
  builder.invalidated = true;
}

// A closed stream's launches went to the default stream, which the caller has one of, or the
// thread.
void Model::finished(StreamName stream) {
  Call* call = current();
  if (call == nullptr) return;
  call->waits = ++waits_;
  for (std::size_t i = 0; i < call->mark; ++i) {
    ModelLaunch& launch = launches_[i];
    const bool meant =
        stream == targets::graph_argument::kEveryStream ||
        (launch.stream == stream && (stream != StreamName::fallback || launch.task == call->task));
    if (!meant || std::exchange(launch.finished, true)) continue;
    launch.finished_in = waits_;
    call->finished_some = lost_some_ = true;
  }
}

void Model::finished_all() {
  ++waits_;
  for (ModelLaunch& launch : launches_) {
    if (std::exchange(launch.finished, true)) continue;
    launch.finished_in = waits_;
    lost_some_ = true;
  }
}

std::uint32_t Model::waits_before() {
  const Call* call = current();
  return call != nullptr ? call->waits : 0;
}

// What ends it, or fails to, says so first.
bool Model::may_say_capturing(Variable variable, bool said) const {
  const Wrapped* held = variables_[variable];
  if (held == nullptr || held->kind != Kind::builder || held->capturing == said) return true;
  return std::any_of(calls_.begin(), calls_.end(), [&](const Call* call) {
    return call->asked.op == Op::end_building && call->referred[0] == held;
  });
}

void Model::comes_after(std::size_t count) {
  const Call* call = current();
  if (call == nullptr || call->referred_count == 0) return;
  const bool in_body = call->asked.op == Op::add_conditional && call->bound > 0;
  const ModelGraph& graph = in_body ? *call->made->bodies[0] : *call->referred[0]->graph;
  if (!graph.has_one_handle()) return;
  if ((count != 0) != (graph.last != 0))
    scene_.refuse("node", count != 0 ? "after a node that is no more" : "after none");
}

void Model::bound() {
  Call* call = current();
  if (call == nullptr) return;
  ++call->bound;
  const Op op = call->asked.op;
  if (op < Op::create_definition || op == Op::set_attribute || op == Op::make_cycle)
    return bind_object(*call);
  if (op == Op::add_child || op == Op::get_child || op >= Op::add_conditional)
    return bind_inside(*call);
  if (op >= Op::add_kernel && op <= Op::add_callback) return bind_node(*call);
  if (op < Op::instantiate || (op >= Op::begin_building && op <= Op::end_building))
    return bind_definition(*call);
  bind_exec(*call);
}

// ---- objects ------------------------------------------------------------------------------------

Wrapped& Model::wrap(Kind kind) {
  wrapped_.push_back(scene_.world().arena.make<Wrapped>());
  wrapped_.back()->kind = kind;
  return *wrapped_.back();
}

Thing& Model::make_thing(Call& call, Kind kind, Label life) {
  Thing* thing = scene_.world().arena.make<Thing>();
  thing->kind = kind;
  thing->value = call.asked.value;
  thing->life = newest(life);
  if (call.asked.stream && !stream_is_closed(*call.asked.stream))
    thing->stream = *call.asked.stream;
  things_.push_back(thing);
  hold({.life = thing->life, .of = Holding::Of::thing, .thing = thing});
  call.made = &wrap(kind);
  call.made->thing = thing;
  return *thing;
}

void Model::bind_object(Call& call) {
  switch (call.asked.op) {
    case Op::allocate:
      make_thing(call, Kind::buffer, "device memory");
      return;
    case Op::load_module:
      make_thing(call, Kind::module, "library");
      return;
    case Op::create_event:
      make_thing(call, Kind::event, "event");
      return;
    case Op::set_deallocation_stream:
      call.referred[0]->thing->stream = *call.asked.stream;
      return;
    case Op::link:
      call.referred[0]->thing->next.push_back(call.referred[1]->thing);
      return;
    case Op::set_attribute:
      call.referred[0]->thing->attribute = call.referred[1]->graph;
      return;
    case Op::make_cycle:
      cycles_.push_back({newest(targets::graph_argument::kCycleKind), call.referred[0]});
      return;
    case Op::close_stream:
      stream_closed_ = lost_some_ = true;
      return;
    default:
      return;
  }
}

}  // namespace scenarios::graph_argument
