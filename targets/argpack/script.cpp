#include "targets/argpack/script.h"

namespace targets::argpack {

using harness::Object;
using harness::Ref;
using harness::SiteScope;
using harness::TypeInfo;

// ---- the program --------------------------------------------------------------------------------

std::uint32_t Script::generation_now() {
  const std::uint32_t generation = core_.program != nullptr ? core_.program->generation() : 0;
  core_.objects.pass();
  return generation;
}

Status Script::start_program() {
  core_.objects.pass();
  return core_.interpreter.c_call("init", [&] {
    const CCall call(core_);
    if (core_.program != nullptr) return Status::ok;
    const Status status = core_.driver.open();
    if (status != Status::ok) return status;
    auto* program = core_.scheduler.arena().make<Program>(core_, ++generation_);
    core_.program = program;
    core_.facts.tell(&Observer::program_began, generation_);
    return Status::ok;
  });
}

Status Script::init() {
  const Op op(core_);
  return start_program();
}

Status Script::reset() {
  const Op op(core_);
  return reset_now();
}

// PyTaichi.clear(), then init(): in between there is no program.
Status Script::reset_now() {
  const Status status = c_call(kAtReset, [&](Program& program) {
    program.finalize();
    policy_.reset();
    core_.program = nullptr;
    core_.facts.tell(&Observer::program_ended);
    return Status::ok;
  });
  return status == Status::ok ? start_program() : status;
}

Status Script::synchronize() {
  const Op op(core_);
  return c_call("synchronize", [&](Program& program) {
    const Status status = program.synchronize();
    // torch.cuda.synchronize(): ti.sync() does not wait for the user's stream.
    if (over_ && user_stream_used_) cuStreamSynchronize(core_.driver.user_stream());
    return status;
  });
}

Status Script::flush() {
  const Op op(core_);
  return c_call("flush", [](Program& program) { return program.flush(); });
}

// ---- variables ----------------------------------------------------------------------------------

Status Script::load(Variable variable, const TypeInfo& type, Ref& loaded) {
  step("LOAD_GLOBAL");
  loaded = variables_[variable];
  if (!loaded) return Status::name_error;
  return &loaded->type() == &type ? Status::ok : Status::type_error;
}

void Script::store(Variable variable, Ref value) {
  step("STORE_GLOBAL");
  const ThingId thing = value ? thing_of(*value) : ThingId::none;
  if (thing != ThingId::none) core_.facts.tell(&Observer::referred, thing);
  Ref old = std::exchange(variables_[variable], std::move(value));
  core_.facts.tell(&Observer::stored, variable, thing);
  if (old) tell_dropped(thing_of(*old));
}

Status Script::alias(Variable into, Variable from) {
  const Op op(core_);
  step("LOAD_GLOBAL");
  Ref value = variables_[from];
  if (!value) return Status::name_error;
  store(into, std::move(value));
  return Status::ok;
}

Status Script::drop(Variable variable) {
  const Op op(core_);
  if (!variables_[variable]) return Status::name_error;
  store(variable, Ref());
  return Status::ok;
}

Status Script::drop_all() {
  const Op op(core_);
  over_ = true;
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (variables_[variable]) store(variable, Ref());
  return Status::ok;
}

Kind Script::kind(Variable variable) const {
  core_.objects.pass();
  const Ref& ref = variables_[variable];
  if (!ref) return Kind::nothing;
  const TypeInfo* type = &ref->type();
  if (type == &kPackType) return Kind::pack;
  if (type == &kArrayType) return Kind::ndarray;
  return type == &kExternalType ? Kind::external : Kind::context;
}

std::uint32_t Script::depth(Variable variable) const {
  return kind(variable) == Kind::pack ? variables_[variable]->payload<PackPayload>().depth : 0;
}

// ---- facts --------------------------------------------------------------------------------------

void Script::tell_dropped(ThingId thing) {
  if (thing != ThingId::none) core_.facts.tell(&Observer::dropped, thing);
}

// ---- garbage ------------------------------------------------------------------------------------

Status Script::make_cycle(Variable variable) {
  const Op op(core_);
  step("LOAD_GLOBAL");
  const Ref held = variables_[variable];
  if (!held) return Status::name_error;
  const ThingId thing = thing_of(*held);
  const Ref cycle = core_.runtime.heap.make<CyclePayload>(kCycleType, CyclePayload{this, thing});
  step("STORE_ATTR");
  if (thing != ThingId::none) core_.facts.tell(&Observer::referred, thing);
  cycle->set("held", held);
  cycle->set("self", cycle);
  return Status::ok;
}

Status Script::plant(Mischief mischief, Variable victim, std::int32_t value) {
  const Op op(core_);
  step("CALL");
  const Ref trap =
      core_.runtime.heap.make<TrapPayload>(kTrapType, TrapPayload{this, mischief, victim, value});
  step("STORE_ATTR");
  trap->set("self", trap);
  return Status::ok;
}

Status Script::collect(std::uint32_t generation) {
  const Op op(core_);
  step("gc.collect");
  core_.runtime.heap.collect(generation);
  return Status::ok;
}

void Script::mischief(const TrapPayload& trap) {
  Ref victim;
  switch (trap.mischief) {
    case Mischief::replace_nested:
      if (load(trap.victim, kPackType, victim) == Status::ok) replace(victim, trap.value);
      return;
    case Mischief::drop:
      if (variables_[trap.victim]) store(trap.victim, Ref());
      return;
    case Mischief::drop_gradient:
      if (load(trap.victim, kArrayType, victim) == Status::ok) set_grad(victim, Ref());
      return;
    case Mischief::resize:
      if (load(trap.victim, kExternalType, victim) == Status::ok)
        resize(victim->payload<ExternalPayload>());
      return;
    case Mischief::collect:
      core_.runtime.heap.collect();
      return;
    case Mischief::reset:
      reset_now();
      return;
  }
}

void Script::finalize(const TrapPayload& payload) { mischief(payload); }

void Script::deallocate(CyclePayload& payload) { tell_dropped(payload.thing); }

}  // namespace targets::argpack
