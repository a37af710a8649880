// Buffers, modules, events and streams.
#include "targets/graph_argument/script.h"

namespace targets::graph_argument {

using harness::Ref;

// ---- buffers ------------------------------------------------------------------------------------

Status Script::allocate(Variable into, StreamName name, std::int32_t value) {
  const Op op(core_);
  Ref made;
  const Status status = c_call("allocate", [&] {
    CUstream stream = nullptr;
    if (const Status found = stream_of(name, stream); found != Status::ok) return found;
    CUdeviceptr address = 0;
    if (cuMemAllocAsync(&address, sizeof(Block), stream) != CUDA_SUCCESS)
      return Status::driver_error;
    tell(&Observer::bound);
    const ThingId thing = core_.facts.make_thing(ThingKind::buffer);
    const Shared<StreamBox>& box = core_.streams[harness::raw(name)];
    auto memory = Shared<DevicePtr>::make(
        core_.arena, core_, address, box ? box : core_.streams[harness::raw(StreamName::fallback)],
        thing);
    if (const Status filled = fill(*memory, value); filled != Status::ok) return filled;
    made = make(kBufferType, BufferPayload{thing, std::move(memory)});
    return Status::ok;
  });
  return keep(into, status, std::move(made));
}

Status Script::fill(const DevicePtr& memory, std::int32_t value) {
  Block block{};
  for (std::int32_t& word : block.in) word = value++;
  return write(memory, 0, &block, sizeof block);
}

Status Script::write(const DevicePtr& memory, std::size_t offset, const void* bytes,
                     std::size_t count) {
  const Shared<StreamBox> held = memory.stream;  // Others may close it while we wait.
  const CUstream stream = held->stream;
  if (cuMemcpyHtoDAsync(memory.address + offset, bytes, count, stream) != CUDA_SUCCESS)
    return Status::driver_error;
  return core_.interpreter.allow_threads([&] { return cuStreamSynchronize(stream); }) ==
                 CUDA_SUCCESS
             ? Status::ok
             : Status::driver_error;
}

Status Script::close_buffer(Variable variable) {
  const Op op(core_);
  Ref buffer;
  const Status status = load(variable, kBufferType, buffer);
  return status == Status::ok ? close_now(buffer) : status;
}

Status Script::close_now(const Ref& buffer) {
  return c_call("Buffer.close", [&] {
    auto& payload = buffer->payload<BufferPayload>();
    if (!payload.memory) return Status::ok;
    tell(&Witness::thing_closed, payload.thing);
    tell(&Observer::closed, buffer.birth());
    const Shared<DevicePtr> memory = std::move(payload.memory);
    return Status::ok;
  });
}

Status Script::set_deallocation_stream(Variable variable, StreamName name) {
  const Op op(core_);
  Ref buffer;
  if (const Status status = load(variable, kBufferType, buffer); status != Status::ok)
    return status;
  return c_call("set_deallocation_stream", [&] {
    auto& payload = buffer->payload<BufferPayload>();
    const Shared<StreamBox>& stream = core_.streams[harness::raw(name)];
    if (!payload.memory || !stream) return Status::closed;
    payload.memory->stream = stream;
    tell(&Observer::bound);
    return Status::ok;
  });
}

Status Script::link(Variable from_variable, Variable to_variable) {
  const Op op(core_);
  Ref from;
  Ref to;
  if (const Status status = load(from_variable, kBufferType, from); status != Status::ok)
    return status;
  if (const Status status = load(to_variable, kBufferType, to); status != Status::ok) return status;
  return c_call("link", [&] {
    const BufferPayload head = from->payload<BufferPayload>();
    const BufferPayload& tail = to->payload<BufferPayload>();
    if (!head.memory || !tail.memory) return Status::closed;
    const CUdeviceptr address = tail.memory->address;
    tell(&Observer::bound);
    return write(*head.memory, offsetof(Block, next), &address, sizeof address);
  });
}

// ---- modules ------------------------------------------------------------------------------------

Status Script::load_module(Variable into) {
  const Op op(core_);
  Ref made;
  const Status status = c_call("load_module", [&] {
    CUlibrary library = nullptr;
    if (cuLibraryLoadData(&library, core_.runtime.kernels, nullptr, nullptr, 0, nullptr, nullptr,
                          0) != CUDA_SUCCESS)
      return Status::driver_error;
    tell(&Observer::bound);
    const ThingId thing = core_.facts.make_thing(ThingKind::module);
    auto box = Shared<ModuleBox>::make(core_.arena, core_, library, thing);
    made = make(kModuleType, ModulePayload{thing, std::move(box)});
    return Status::ok;
  });
  return keep(into, status, std::move(made));
}

// ---- events and streams -------------------------------------------------------------------------

Status Script::create_event(Variable into) {
  const Op op(core_);
  Ref made;
  const Status status = c_call("create_event", [&] {
    CUevent event = nullptr;
    if (cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return Status::driver_error;
    tell(&Observer::bound);
    const ThingId thing = core_.facts.make_thing(ThingKind::event);
    auto box = Shared<EventBox>::make(core_.arena, core_, event, thing);
    made = make(kEventType, EventPayload{thing, std::move(box)});
    return Status::ok;
  });
  return keep(into, status, std::move(made));
}

Status Script::close_event(Variable variable) {
  const Op op(core_);
  Ref event;
  if (const Status status = load(variable, kEventType, event); status != Status::ok) return status;
  return c_call("Event.close", [&] {
    auto& payload = event->payload<EventPayload>();
    tell(&Witness::thing_closed, payload.thing);
    tell(&Observer::closed, event.birth());
    payload.event.reset();
    return Status::ok;
  });
}

Status Script::record(Variable variable, StreamName name) {
  const Op op(core_);
  Ref event;
  if (const Status status = load(variable, kEventType, event); status != Status::ok) return status;
  return c_call("Stream.record", [&] {
    const Shared<EventBox> box = event->payload<EventPayload>().event;
    CUstream stream = nullptr;
    if (!box) return Status::closed;
    if (const Status found = stream_of(name, stream); found != Status::ok) return found;
    if (cuEventRecord(box->event, stream) != CUDA_SUCCESS) return Status::driver_error;
    tell(&Observer::bound);
    return Status::ok;
  });
}

Status Script::close_stream() {
  const Op op(core_);
  return c_call("Stream.close", [&] {
    core_.streams[harness::raw(StreamName::second)].reset();
    tell(&Observer::bound);
    return Status::ok;
  });
}

// ---- reading ------------------------------------------------------------------------------------

Status Script::synchronize(StreamName name) {
  const Op op(core_);
  return c_call("synchronize", [&] {
    CUstream stream = nullptr;
    const Shared<StreamBox> held = core_.streams[harness::raw(name)];  // As in write().
    if (!held) return Status::closed;
    if (const Status found = stream_of(name, stream); found != Status::ok) return found;
    tell(&Observer::waits, name);
    const CUresult result =
        core_.interpreter.allow_threads([&] { return cuStreamSynchronize(stream); });
    if (result != CUDA_SUCCESS) return Status::driver_error;
    tell(&Observer::finished, name);
    for (Variable variable = 0; variable < kVariableCount; ++variable)
      if (const Ref ref = variables_[variable]; ref && &ref->type() == &kBufferType) read_back(ref);
    return Status::ok;
  });
}

// The local handle keeps the memory for as long as it is being read.
void Script::read_back(const Ref& buffer) {
  Observer* observer = core_.facts.observer();
  const BufferPayload payload = buffer->payload<BufferPayload>();
  if (!payload.memory || observer == nullptr || !observer->wants(buffer.birth())) return;
  Contents contents;
  static_assert(sizeof contents == sizeof(Block));
  const CUresult result = core_.interpreter.allow_threads(
      [&] { return cuMemcpyDtoH(&contents, payload.memory->address, sizeof contents); });
  if (result == CUDA_SUCCESS) observer->read(buffer.birth(), contents);
}

}  // namespace targets::graph_argument
