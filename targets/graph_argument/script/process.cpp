// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/script/process.h"

namespace targets::graph_argument {

using harness::Ref;

// ---- the beginning ------------------------------------------------------------------------------

static bool good(CUresult result) { return result == CUDA_SUCCESS; }

Status ScriptProcess::init() {
  CUdevice device = 0;
  core_.interpreter.make_calls_without_gil(!core_.policy->keeps_gil());
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

// ---- waiting ------------------------------------------------------------------------------------

// Holds a handle locally, which keeps the memory while it is being read.
static void read_back(Core& core, const Ref& buffer) {
  Reader* const reader = core.setup.reader;
  const BufferPayload payload = buffer->payload<BufferPayload>();
  if (!payload.memory || reader == nullptr || !reader->reads(buffer.birth())) return;
  Contents contents;
  static_assert(sizeof contents == sizeof(Block));
  const CUresult result = core.interpreter.allow_threads(
      [&] { return cuMemcpyDtoH(&contents, payload.memory->address, sizeof contents); });
  if (result == CUDA_SUCCESS) reader->read(buffer.birth(), contents);
}

Status ScriptProcess::synchronize(StreamName name) {
  const Method method(core_);
  return frame_.c_call("synchronize", [&] {
    CUstream stream = nullptr;
    const Shared<StreamBox> held =
        core_.streams[harness::raw(name)];  // Another task may close it meanwhile.
    if (!held) return Status::closed;
    if (const Status found = frame_.stream_of(name, stream); found != Status::ok) return found;
    frame_.tell(&Observer::waits, name);
    const CUresult result =
        core_.interpreter.allow_threads([&] { return cuStreamSynchronize(stream); });
    if (result != CUDA_SUCCESS) return Status::driver_error;
    frame_.tell(&Observer::finished, name);
    for (Variable variable = 0; variable < kVariableCount; ++variable)
      if (const Ref ref = frame_.held(variable); ref && &ref->type() == &kBufferType)
        read_back(core_, ref);
    return Status::ok;
  });
}

Status ScriptProcess::synchronize_device() {
  const Method method(core_);
  return frame_.c_call("Device.sync", [&] {
    frame_.tell(&Observer::waits, kEveryStream);
    if (core_.interpreter.allow_threads([] { return cuCtxSynchronize(); }) != CUDA_SUCCESS)
      return Status::driver_error;
    frame_.tell(&Observer::finished, kEveryStream);
    return Status::ok;
  });
}

void ScriptProcess::wait_for_destructors(std::size_t count) { core_.destructors.wait_for(count); }

// ---- steps of the main thread -------------------------------------------------------------------

Status ScriptProcess::collect(std::uint32_t generation) {
  const Method method(core_);
  frame_.step("gc.collect");
  core_.runtime.heap.collect(generation);
  return Status::ok;
}

/// A pending call that requests itself again a few times.
struct Signal {
  harness::Interpreter& interpreter;
  std::uint32_t left;

  static void handle(void* data) {
    auto& signal = *static_cast<Signal*>(data);
    if (signal.left-- > 0) signal.interpreter.add_pending_call(handle, data);
  }
};

Status ScriptProcess::flood_pending_calls() {
  constexpr std::uint32_t kRounds = 4;
  const Method method(core_);
  while (core_.interpreter.pending_count() < harness::Interpreter::kPendingLimit)
    core_.interpreter.add_pending_call(Signal::handle,
                                       core_.arena.make<Signal>(core_.interpreter, kRounds));
  return Status::ok;
}

void ScriptProcess::idle() {
  const Method method(core_);
  frame_.step("NOP");
}

Status ScriptProcess::finalize() {
  const Method method(core_);
  frame_.step("Py_Finalize");
  core_.runtime.heap.collect();
  core_.policy->finalizing();
  core_.finalized.raise();
  core_.ledger.died(core_.life);
  return Status::ok;
}

}  // namespace targets::graph_argument
