#include "targets/graph_argument/script.h"

namespace targets::graph_argument {

using harness::Ref;
using harness::TypeInfo;

// ---- the beginning ------------------------------------------------------------------------------

static bool good(CUresult result) { return result == CUDA_SUCCESS; }

static CUstream default_stream(DefaultStream what) {
  return what == DefaultStream::legacy ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD;
}

Status Script::init() {
  CUdevice device = 0;
  if (!good(cuInit(0)) || !good(cuDeviceGet(&device, 0)) ||
      !good(cuDevicePrimaryCtxRetain(&core_.context, device)) ||
      !good(cuCtxSetCurrent(core_.context)))
    return Status::driver_error;
  for (const StreamName name : {StreamName::first, StreamName::second}) {
    CUstream stream = nullptr;
    if (!good(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING))) return Status::driver_error;
    core_.streams[harness::raw(name)] = Shared<StreamBox>::make(core_.arena, core_, stream, true);
  }
  core_.streams[harness::raw(StreamName::fallback)] = Shared<StreamBox>::make(
      core_.arena, core_, default_stream(core_.setup.default_stream), false);
  core_.life = core_.ledger.born(kInterpreterKind, 0, 0);
  return Status::ok;
}

// Not refused, it stands for the default stream: so says the null handle that a closed one has.
Status Script::stream_of(StreamName name, CUstream& stream) {
  const Shared<StreamBox>& box = core_.streams[harness::raw(name)];
  if (box) {
    stream = box->stream;
    return Status::ok;
  }
  tell(&Observer::named_closed_stream, policy_.refuses_closed());
  if (policy_.refuses_closed()) return Status::closed;
  stream = default_stream(core_.setup.default_stream);
  return Status::ok;
}

// ---- variables ----------------------------------------------------------------------------------

Status Script::get(Variable variable, const TypeInfo& type, Ref& loaded) {
  step("LOAD_GLOBAL");
  loaded = variables_[variable];
  if (!loaded) return Status::name_error;
  return &loaded->type() == &type ? Status::ok : Status::type_error;
}

Status Script::load(Variable variable, const TypeInfo& type, Ref& loaded) {
  const Status status = get(variable, type, loaded);
  if (status == Status::ok) tell(&Observer::referred, variable, loaded.birth());
  return status;
}

Status Script::load_all(std::initializer_list<Wanted> wanted) {
  for (const Wanted& each : wanted)
    if (const Status status = load(each.variable, each.type, each.loaded); status != Status::ok)
      return status;
  return Status::ok;
}

Status Script::keep(Variable into, Status status, Ref made) {
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

void Script::store(Variable variable, Ref value) {
  step(variable == kNowhere ? harness::Label("POP_TOP") : harness::Label("STORE_GLOBAL"));
  if (variable == kNowhere) return;
  const ThingId thing = value ? thing_of(*value) : ThingId::none;
  if (thing != ThingId::none) tell(&Witness::reference_taken, thing);
  tell(&Observer::stored, variable, value.birth());
  const Ref old = std::exchange(variables_[variable], std::move(value));
  const ThingId lost = old ? thing_of(*old) : ThingId::none;
  if (lost != ThingId::none) tell(&Witness::reference_dropped, lost);
}

Status Script::alias(Variable into, Variable from) {
  const Op op(core_);
  step("LOAD_GLOBAL");
  Ref value = variables_[from];
  if (!value) return Status::name_error;
  tell(&Observer::referred, from, value.birth());
  store(into, std::move(value));
  return Status::ok;
}

Status Script::drop(Variable variable) {
  const Op op(core_);
  if (!variables_[variable]) return Status::name_error;
  store(variable, Ref());
  return Status::ok;
}

Status Script::drop_all(bool graphs) {
  const Op op(core_);
  tell(&Observer::drops_all, graphs);
  for (Variable variable = 0; variable < kVariableCount; ++variable)
    if (variables_[variable] && (!graphs || thing_of(*variables_[variable]) == ThingId::none))
      store(variable, Ref());
  return Status::ok;
}

Kind Script::kind(Variable variable) const {
  core_.order();
  const Ref& ref = variables_[variable];
  if (!ref) return Kind::nothing;
  const TypeInfo* type = &ref->type();
  if (type == &kBufferType) return Kind::buffer;
  if (type == &kModuleType) return Kind::module;
  if (type == &kEventType) return Kind::event;
  if (type == &kDefinitionType) return Kind::definition;
  if (type == &kBuilderType) return Kind::builder;
  return type == &kNodeType ? Kind::node : Kind::graph;
}

NodeKind Script::node_kind(Variable variable) const {
  if (kind(variable) != Kind::node) return NodeKind::other;
  const auto& node = variables_[variable]->payload<NodePayload>();
  if (is_conditional(node.work)) return NodeKind::conditional;
  if (node.destroyed) return NodeKind::other;
  if (takes_buffers(node.work)) return NodeKind::kernel;
  if (node.work == Work::child) return NodeKind::child;
  return node.work == Work::allocation ? NodeKind::allocation : NodeKind::other;
}

// ---- garbage ------------------------------------------------------------------------------------

Status Script::make_cycle(Variable variable) {
  const Op op(core_);
  step("LOAD_GLOBAL");
  const Ref held = variables_[variable];
  if (!held) return Status::name_error;
  tell(&Observer::referred, variable, held.birth());
  const ThingId thing = thing_of(*held);
  const Ref cycle = make(kCycleType, CyclePayload{&core_, thing});
  tell(&Observer::bound);
  step("STORE_ATTR");
  if (thing != ThingId::none) tell(&Witness::reference_taken, thing);
  cycle->set("held", held);
  cycle->set("self", cycle);
  return Status::ok;
}

Status Script::plant(Mischief mischief, Variable victim) {
  const Op op(core_);
  step("CALL");
  const Ref trap = make(kTrapType, TrapPayload{this, mischief, victim});
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

void Script::run_trap(const TrapPayload& trap) {
  switch (trap.mischief) {
    case Mischief::drop:
      if (variables_[trap.victim]) store(trap.victim, Ref());
      return;
    case Mischief::close: {
      Ref buffer;
      if (get(trap.victim, kBufferType, buffer) == Status::ok) close_now(buffer);
      return;
    }
    case Mischief::collect:
      core_.runtime.heap.collect();
      return;
  }
}

// ---- waiting, and the end -----------------------------------------------------------------------

Status Script::synchronize_device() {
  const Op op(core_);
  return c_call("Device.sync", [&] {
    tell(&Observer::waits, kEveryStream);
    if (core_.interpreter.allow_threads([] { return cuCtxSynchronize(); }) != CUDA_SUCCESS)
      return Status::driver_error;
    tell(&Observer::finished, kEveryStream);
    return Status::ok;
  });
}

/// A call that asks to be called again, for a while.
struct Signal {
  harness::Interpreter& interpreter;
  std::uint32_t left;

  static void handle(void* data) {
    auto& signal = *static_cast<Signal*>(data);
    if (signal.left-- > 0) signal.interpreter.add_pending_call(handle, data);
  }
};

Status Script::flood_pending_calls() {
  constexpr std::uint32_t kRounds = 4;
  const Op op(core_);
  while (core_.interpreter.pending_count() < harness::Interpreter::kPendingLimit)
    core_.interpreter.add_pending_call(Signal::handle,
                                       core_.arena.make<Signal>(core_.interpreter, kRounds));
  return Status::ok;
}

void Script::wait_for_destructors(std::size_t count) {
  core_.scheduler.wait_until({kDestructorsResource, harness::AccessKind::read},
                             "user object destructors",
                             [this, count] { return core_.destructor_count >= count; });
}

void Script::idle() {
  const Op op(core_);
  step("NOP");
}

Status Script::finalize() {
  {
    const Op op(core_);
    step("Py_Finalize");
    core_.runtime.heap.collect();
    policy_.finalizing();
    core_.finalized = true;
    core_.ledger.died(core_.life);
  }
  return Status::ok;
}

}  // namespace targets::graph_argument
