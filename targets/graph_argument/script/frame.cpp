// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/script/frame.h"

#include "targets/graph_argument/script/graphs.h"

namespace targets::graph_argument {

using harness::Ref;
using harness::TypeInfo;

// ---- variables ----------------------------------------------------------------------------------

Status Frame::get(Variable variable, const TypeInfo& type, Ref& loaded) {
  step("LOAD_GLOBAL");
  loaded = variables_[variable];
  if (!loaded) return Status::name_error;
  return &loaded->type() == &type ? Status::ok : Status::type_error;
}

Status Frame::load(Variable variable, const TypeInfo& type, Ref& loaded) {
  const Status status = get(variable, type, loaded);
  if (status == Status::ok) tell(&Observer::referred, variable, loaded.birth());
  return status;
}

Status Frame::load_place(Variable variable, Place& place) {
  step("LOAD_GLOBAL");
  const Ref loaded = variables_[variable];
  if (!loaded) return Status::name_error;
  const bool is_node = &loaded->type() == &kNodeType;
  if (!is_node && &loaded->type() != &kDefinitionType) return Status::type_error;
  tell(&Observer::referred, variable, loaded.birth());
  if (!is_node) {
    place = {loaded, loaded->payload<DefinitionPayload>().graph};
    return Status::ok;
  }
  // Make the wrapper first: this may run the collector.
  Shared<GraphBox> graph = loaded->payload<NodePayload>().graph;
  place = {wrap_graph(graph), graph, loaded};
  return Status::ok;
}

Status Frame::load_all(std::initializer_list<Wanted> wanted) {
  for (const Wanted& each : wanted)
    if (const Status status = load(each.variable, each.type, each.loaded); status != Status::ok)
      return status;
  return Status::ok;
}

Status Frame::keep(Variable into, Status status, Ref made) {
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

void Frame::store(Variable variable, Ref value) {
  step(variable == kNowhere ? harness::Label("POP_TOP") : harness::Label("STORE_GLOBAL"));
  if (variable == kNowhere) return;
  const ThingId thing = value ? thing_of(*value) : ThingId::none;
  if (thing != ThingId::none) tell(&ThingWitness::reference_taken, thing);
  tell(&Observer::stored, variable, value.birth());
  const Ref old = std::exchange(variables_[variable], std::move(value));
  const ThingId lost = old ? thing_of(*old) : ThingId::none;
  if (lost != ThingId::none) tell(&ThingWitness::reference_dropped, lost);
}

// ---- streams ------------------------------------------------------------------------------------

CUstream default_stream(DefaultStream what) {
  return what == DefaultStream::legacy ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD;
}

// A closed stream's handle is null. Unless the policy refuses it, it means the default stream.
Status Frame::stream_of(StreamName name, CUstream& stream) {
  const Shared<StreamBox>& box = core_.streams[harness::raw(name)];
  if (box) {
    stream = box->stream;
    return Status::ok;
  }
  tell(&Observer::named_closed_stream, core_.policy->refuses_closed());
  if (core_.policy->refuses_closed()) return Status::closed;
  stream = default_stream(core_.setup.default_stream);
  return Status::ok;
}

}  // namespace targets::graph_argument
