// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/script/globals.h"

namespace targets::graph_argument {

using harness::Ref;
using harness::TypeInfo;

Status ScriptGlobals::alias(Variable into, Variable from) {
  const Method method(core_);
  frame_.step("LOAD_GLOBAL");
  Ref value = frame_.held(from);
  if (!value) return Status::name_error;
  frame_.tell(&Observer::referred, from, value.birth());
  frame_.store(into, std::move(value));
  return Status::ok;
}

Status ScriptGlobals::drop(Variable variable) {
  const Method method(core_);
  if (!frame_.held(variable)) return Status::name_error;
  frame_.store(variable, Ref());
  return Status::ok;
}

Status ScriptGlobals::drop_all(bool graphs) {
  const Method method(core_);
  frame_.tell(&Observer::drops_all, graphs);
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (frame_.held(variable) && (!graphs || thing_of(*frame_.held(variable)) == ThingId::none))
      frame_.store(variable, Ref());
  return Status::ok;
}

// ---- garbage ------------------------------------------------------------------------------------

Status ScriptGlobals::make_cycle(Variable variable) {
  const Method method(core_);
  frame_.step("LOAD_GLOBAL");
  const Ref held = frame_.held(variable);
  if (!held) return Status::name_error;
  frame_.tell(&Observer::referred, variable, held.birth());
  const ThingId thing = thing_of(*held);
  const Ref cycle = frame_.make(kCycleType, CyclePayload{&core_, thing});
  frame_.tell(&Observer::bound);
  frame_.step("STORE_ATTR");
  if (thing != ThingId::none) frame_.tell(&ThingWitness::reference_taken, thing);
  cycle->set("held", held);
  cycle->set("self", cycle);
  return Status::ok;
}

Status ScriptGlobals::plant(FinalizerAction action, Variable victim) {
  const Method method(core_);
  frame_.step("CALL");
  const Ref trap = frame_.make(kTrapType, TrapPayload{&frame_, action, victim});
  frame_.step("STORE_ATTR");
  trap->set("self", trap);
  return Status::ok;
}

// ---- what a variable holds ----------------------------------------------------------------------

Kind ScriptGlobals::kind(Variable variable) const {
  const Ref& ref = frame_.held(variable);
  if (!ref) return Kind::nothing;
  const TypeInfo* type = &ref->type();
  if (type == &kBufferType) return Kind::buffer;
  if (type == &kModuleType) return Kind::module;
  if (type == &kEventType) return Kind::event;
  if (type == &kDefinitionType) return Kind::definition;
  if (type == &kBuilderType) return Kind::builder;
  return type == &kNodeType ? Kind::node : Kind::graph;
}

NodeKind ScriptGlobals::node_kind(Variable variable) const {
  if (kind(variable) != Kind::node) return NodeKind::other;
  const auto& node = frame_.held(variable)->payload<NodePayload>();
  if (is_conditional(node.work)) return NodeKind::conditional;
  if (node.destroyed) return NodeKind::other;
  if (takes_buffers(node.work)) return NodeKind::kernel;
  if (node.work == Work::child) return NodeKind::child;
  return node.work == Work::allocation ? NodeKind::allocation : NodeKind::other;
}

bool ScriptGlobals::is_capturing(Variable variable) const {
  return kind(variable) == Kind::builder &&
         frame_.held(variable)->payload<BuilderPayload>().box->capturing;
}

}  // namespace targets::graph_argument
