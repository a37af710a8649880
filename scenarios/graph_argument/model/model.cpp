// SPDX-License-Identifier: Apache-2.0
// How it works. A call is recorded when it begins; the path reports when it loads a variable, and
// when CUDA has done something for the call. Only then does the model change, by the recorded
// arguments.
#include "scenarios/graph_argument/model/model.h"

#include "harness/core/fault/kinds.h"

#include <algorithm>

namespace scenarios::graph_argument {

using harness::BirthId;
using harness::Label;
using targets::graph_argument::Status;

bool went_wrong(const harness::Scene& scene, harness::Tick by) {
  const auto& faults = scene.world().history.faults();
  return std::any_of(faults.begin(), faults.end(), [&](const harness::Fault& fault) {
    return fault.tick <= by && fault.kind != harness::FaultKind::retention &&
           fault.kind != harness::FaultKind::refusal &&
           fault.kind != harness::FaultKind::wrong_value &&
           !is_caller_error(scene.scenario(), fault);
  });
}

Model::Model(harness::Scene& scene)
    : scene_(scene),
      calls_(scene.world()),
      names_(scene.world()),
      things_(scene.world()),
      graphs_(scene.world()),
      runs_(scene.world()),
      losses_(scene.world().ledger, calls_, names_, things_, graphs_, runs_),
      binder_(scene.world(), calls_, names_, things_, graphs_, runs_, losses_),
      values_(scene.world().ledger, runs_) {}

// ---- calls --------------------------------------------------------------------------------------

Call& Model::begin(const Asked& asked) {
  Call& call = calls_.begin(asked);
  call.emptied = names_.empty();
  call.stream_was_closed = asked.stream && things_.is_closed(*asked.stream);
  return call;
}

void Model::end(Call& call, Status status) {
  hold_user_objects(call);
  if (status != Status::ok) fail(call, status);
  calls_.end(call);
}

// Updates the model after a failed call.
void Model::fail(const Call& call, Status status) {
  losses_.change();
  switch (call.asked.op) {
    case Op::update:
      if (call.referred_count != 2) return;
      call.referred[0]->exec->updated_by.push_back(call.number);
      // By cuda.h, only CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE means that nothing was updated.
      if (status == Status::driver_error)
        ModelRuns::doubt(*call.referred[0]->exec, *call.referred[1]->graph);
      return;
    case Op::add_conditional:
      if (call.referred_count == 2 && call.bound == 0) call.referred[0]->graph->spoilt = true;
      return;
    default:
      return;
  }
}

void Model::hold_user_objects(const Call& call) {
  const auto& lives = scene_.world().ledger.lives();
  const harness::Name activation = scene_.world().picker.current().name;
  for (std::size_t i = call.lives; i < lives.size(); ++i)
    if (lives[i].kind == Label("user object") && lives[i].birth_activation == activation)
      losses_.hold({.life = static_cast<BirthId>(i),
                    .of = Holding::Of::call,
                    .graph = call.referred_count > 0 ? call.referred[0]->graph : nullptr,
                    .call = call.number});
}

// ---- facts --------------------------------------------------------------------------------------

// The second stream is the last one made; the first and the default stream stay open.
void Model::begins() {
  losses_.hold({.life = newest_life(scene_.world(), "stream"), .of = Holding::Of::second_stream});
}

void Model::referred(Variable variable, Wrapper wrapper) {
  Call* call = calls_.current();
  Wrapped* held = names_.held(variable);
  if (call != nullptr && (call->asked.given & bit(variable)) == 0)
    scene_.refuse("variable", "loaded, and was not given");
  if (held == nullptr || held->wrapper != wrapper) {
    scene_.refuse("variable", "another object than was stored in it");
    held = names_.find(wrapper);
  }
  if (call == nullptr || held == nullptr || call->referred_count == Call::kReferenceLimit) return;
  call->referred[call->referred_count++] = held;
}

// An unknown wrapper is the call's result.
void Model::stored(Variable variable, Wrapper wrapper) {
  Call* call = calls_.current();
  Wrapped* now = wrapper != Wrapper::none ? names_.find(wrapper) : nullptr;
  if (now == nullptr && wrapper != Wrapper::none && call != nullptr && call->made != nullptr) {
    now = call->made;
    now->wrapper = wrapper;
    if (now->thing != nullptr) now->thing->wrapper = wrapper;
  }
  if (names_.held(variable) != nullptr) losses_.change();
  names_.store(variable, now);
  if (call != nullptr && variable == call->asked.into) call->stored = now != nullptr;
  if (now == nullptr)
    for (Call* each : calls_.open()) each->emptied |= bit(variable);
}

void Model::comes_after(std::size_t count) {
  const Call* call = calls_.current();
  if (call == nullptr || call->referred_count == 0) return;
  if ((count != 0) != (call->after() != 0))
    scene_.refuse("node", count != 0 ? "after a node that no one has named" : "after none");
}

const Call* Model::bound() {
  Call* const call = calls_.current();
  if (call != nullptr) binder_.bind(*call);
  return call;
}

void Model::closed(Wrapper wrapper) {
  losses_.change();
  if (Wrapped* wrapped = names_.find(wrapper); wrapped != nullptr && wrapped->thing != nullptr)
    wrapped->thing->closed = true;
}

// ---- waits --------------------------------------------------------------------------------------

// Waiting for the device is forbidden during a capture and invalidates it, also if the capture
// begins before the wait has ended.
void Model::waits(StreamName stream) {
  Call* call = calls_.current();
  if (call == nullptr) return;
  call->mark = runs_.launches().size();
  if (stream != targets::graph_argument::kEveryStream) return;
  call->waits_for_device = true;
  for (Wrapped* each : names_.all())
    if (each->capturing && scene_.world().ledger.alive(each->stream)) meet_capture(*call, *each);
}

void Model::finished(StreamName stream) {
  Call* call = calls_.current();
  if (call == nullptr || !runs_.finish(*call, stream)) return;
  call->finished_some = true;
  losses_.change();
}

void Model::finished_all() {
  if (runs_.finish_all()) losses_.change();
}

// ---- builders -----------------------------------------------------------------------------------

// Calls that may end the capture report this before its state changes.
bool Model::may_say_capturing(Variable variable, bool said) const {
  const Wrapped* held = names_.held(variable);
  if (held == nullptr || held->kind != Kind::builder || held->capturing == said) return true;
  return std::any_of(calls_.open().begin(), calls_.open().end(), [&](const Call* call) {
    return call->asked.op == Op::end_building && call->referred[0] == held;
  });
}

bool Model::is_ending(const Wrapped& builder, const Call& but) const {
  return std::any_of(calls_.open().begin(), calls_.open().end(), [&](const Call* call) {
    return call != &but && call->asked.op == Op::end_building && call->referred[0] == &builder;
  });
}

}  // namespace scenarios::graph_argument
