// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/script/garbage.h"

namespace targets::argpack {

using harness::Ref;

Status ScriptGarbage::make_cycle(Variable variable) {
  const Op op(core_);
  Ref held;
  if (const Status status = globals_.load(variable, held); status != Status::ok) return status;
  const ThingId thing = thing_of(*held);
  const Ref cycle = core_.runtime.heap.make<CyclePayload>(kCycleType, CyclePayload{this, thing});
  step("STORE_ATTR");
  if (thing != ThingId::none) core_.facts.tell(&Observer::referred, thing);
  cycle->set("held", held);
  cycle->set("self", cycle);
  return Status::ok;
}

Status ScriptGarbage::plant(FinalizerAction action, Variable victim, std::int32_t value) {
  const Op op(core_);
  step("CALL");
  const Ref trap =
      core_.runtime.heap.make<TrapPayload>(kTrapType, TrapPayload{this, action, victim, value});
  step("STORE_ATTR");
  trap->set("self", trap);
  return Status::ok;
}

Status ScriptGarbage::collect(std::uint32_t generation) {
  const Op op(core_);
  step("gc.collect");
  core_.runtime.heap.collect(generation);
  return Status::ok;
}

void ScriptGarbage::finalize(const TrapPayload& trap) {
  Ref victim;
  switch (trap.action) {
    case FinalizerAction::replace_nested:
      if (globals_.load(trap.victim, kPackType, victim) == Status::ok)
        victims_.packs.replace(victim, trap.value);
      return;
    case FinalizerAction::drop:
      if (globals_.peek(trap.victim)) globals_.store(trap.victim, Ref());
      return;
    case FinalizerAction::drop_gradient:
      if (globals_.load(trap.victim, kArrayType, victim) == Status::ok)
        victims_.arrays.set_grad(victim, Ref());
      return;
    case FinalizerAction::resize:
      if (globals_.load(trap.victim, kExternalType, victim) == Status::ok)
        victims_.externals.resize_now(victim->payload<ExternalPayload>());
      return;
    case FinalizerAction::collect:
      core_.runtime.heap.collect();
      return;
    case FinalizerAction::reset:
      victims_.programs.reset_now();
      return;
  }
}

}  // namespace targets::argpack
