// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/script/globals.h"

namespace targets::argpack {

using harness::Ref;
using harness::TypeInfo;

Status ScriptGlobals::load(Variable variable, Ref& loaded) {
  step("LOAD_GLOBAL");
  loaded = variables_[variable];
  return loaded ? Status::ok : Status::name_error;
}

Status ScriptGlobals::load(Variable variable, const TypeInfo& type, Ref& loaded) {
  const Status status = load(variable, loaded);
  return status == Status::ok && &loaded->type() != &type ? Status::type_error : status;
}

void ScriptGlobals::store(Variable variable, Ref value) {
  step("STORE_GLOBAL");
  const ThingId thing = value ? thing_of(*value) : ThingId::none;
  if (thing != ThingId::none) core_.facts.tell(&Observer::referred, thing);
  Ref old = std::exchange(variables_[variable], std::move(value));
  core_.facts.tell(&Observer::stored, variable, thing);
  if (old) tell_dropped(thing_of(*old));
}

Status ScriptGlobals::alias(Variable into, Variable from) {
  const Op op(core_);
  Ref value;
  const Status status = load(from, value);
  if (status == Status::ok) store(into, std::move(value));
  return status;
}

Status ScriptGlobals::drop(Variable variable) {
  const Op op(core_);
  if (!variables_[variable]) return Status::name_error;
  store(variable, Ref());
  return Status::ok;
}

Status ScriptGlobals::drop_all() {
  const Op op(core_);
  all_dropped_ = true;
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (variables_[variable]) store(variable, Ref());
  return Status::ok;
}

Kind ScriptGlobals::kind(Variable variable) const {
  core_.objects.look();
  const Ref& ref = variables_[variable];
  if (!ref) return Kind::nothing;
  const TypeInfo* type = &ref->type();
  if (type == &kPackType) return Kind::pack;
  if (type == &kArrayType) return Kind::ndarray;
  return type == &kExternalType ? Kind::external : Kind::context;
}

std::uint32_t ScriptGlobals::depth(Variable variable) const {
  return kind(variable) == Kind::pack ? variables_[variable]->payload<PackPayload>().depth : 0;
}

}  // namespace targets::argpack
