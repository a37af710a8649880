// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/script/objects.h"

#include "targets/graph_argument/script/graphs.h"

namespace targets::graph_argument {

using harness::Ref;

// ---- what a block holds -------------------------------------------------------------------------

static Status write(const DevicePtr& memory, std::size_t offset, const void* bytes,
                    std::size_t count) {
  const Shared<StreamBox> held = memory.stream;  // Another task may close it while we wait.
  const CUstream stream = held->stream;
  if (cuMemcpyHtoDAsync(memory.address + offset, bytes, count, stream) != CUDA_SUCCESS)
    return Status::driver_error;
  return memory.core.interpreter.allow_threads([&] { return cuStreamSynchronize(stream); }) ==
                 CUDA_SUCCESS
             ? Status::ok
             : Status::driver_error;
}

static Status fill(const DevicePtr& memory, std::int32_t value) {
  Block block{};
  for (std::int32_t& word : block.in) word = value++;
  return write(memory, 0, &block, sizeof block);
}

// ---- buffers ------------------------------------------------------------------------------------

Status ScriptObjects::allocate(Variable into, StreamName name, std::int32_t value) {
  const Method method(core_);
  Ref made;
  const Status status = frame_.c_call("allocate", [&] {
    const Shared<StreamBox> held = core_.streams[harness::raw(name)];  // Another task may close it.
    CUstream stream = nullptr;
    if (const Status found = frame_.stream_of(name, stream); found != Status::ok) return found;
    CUdeviceptr address = 0;
    if (cuMemAllocAsync(&address, sizeof(Block), stream) != CUDA_SUCCESS)
      return Status::driver_error;
    frame_.tell(&Observer::bound);
    const ThingId thing = core_.facts.make_thing(ThingKind::buffer);
    auto memory = Shared<DevicePtr>::make(
        core_.arena, core_, address,
        held ? held : core_.streams[harness::raw(StreamName::fallback)], thing);
    if (const Status filled = fill(*memory, value); filled != Status::ok) return filled;
    made = frame_.make(kBufferType, BufferPayload{thing, std::move(memory)});
    return Status::ok;
  });
  return frame_.keep(into, status, std::move(made));
}

Status close_now(Frame& frame, const Ref& buffer) {
  return frame.c_call(kBufferCloseSite, [&] {
    auto& payload = buffer->payload<BufferPayload>();
    if (!payload.memory) return Status::ok;
    frame.tell(&ThingWitness::thing_closed, payload.thing);
    frame.tell(&Observer::closed, buffer.birth());
    const Shared<DevicePtr> memory = std::move(payload.memory);
    memory->closed = true;
    return Status::ok;
  });
}

Status ScriptObjects::close_buffer(Variable variable) {
  const Method method(core_);
  Ref buffer;
  const Status status = frame_.load(variable, kBufferType, buffer);
  return status == Status::ok ? close_now(frame_, buffer) : status;
}

Status ScriptObjects::set_deallocation_stream(Variable variable, StreamName name) {
  const Method method(core_);
  Ref buffer;
  if (const Status status = frame_.load(variable, kBufferType, buffer); status != Status::ok)
    return status;
  return frame_.c_call("set_deallocation_stream", [&] {
    auto& payload = buffer->payload<BufferPayload>();
    const Shared<StreamBox>& stream = core_.streams[harness::raw(name)];
    if (!payload.memory || !stream) return Status::closed;
    payload.memory->stream = stream;
    frame_.tell(&Observer::bound);
    return Status::ok;
  });
}

Status ScriptObjects::link(Variable from_variable, Variable to_variable) {
  const Method method(core_);
  Ref from;
  Ref to;
  if (const Status status = frame_.load(from_variable, kBufferType, from); status != Status::ok)
    return status;
  if (const Status status = frame_.load(to_variable, kBufferType, to); status != Status::ok)
    return status;
  return frame_.c_call("link", [&] {
    const BufferPayload head = from->payload<BufferPayload>();
    const BufferPayload& tail = to->payload<BufferPayload>();
    if (!head.memory || !tail.memory) return Status::closed;
    const CUdeviceptr address = tail.memory->address;
    frame_.tell(&Observer::bound);
    return write(*head.memory, offsetof(Block, next), &address, sizeof address);
  });
}

Status ScriptObjects::set_attribute(Variable buffer_variable, Variable variable) {
  const Method method(core_);
  Ref buffer, definition;
  const Status status = frame_.load_all(
      {{buffer_variable, kBufferType, buffer}, {variable, kDefinitionType, definition}});
  if (status != Status::ok) return status;
  frame_.step("STORE_ATTR");
  const Ref old = buffer->exchange("graph", definition);
  frame_.tell(&ThingWitness::attribute_set, buffer->payload<BufferPayload>().thing,
              graph_of(definition)->id);
  frame_.tell(&Observer::bound);
  return Status::ok;
}

// ---- modules ------------------------------------------------------------------------------------

Status ScriptObjects::load_module(Variable into) {
  const Method method(core_);
  Ref made;
  const Status status = frame_.c_call("load_module", [&] {
    CUlibrary library = nullptr;
    if (cuLibraryLoadData(&library, core_.runtime.kernels, nullptr, nullptr, 0, nullptr, nullptr,
                          0) != CUDA_SUCCESS)
      return Status::driver_error;
    frame_.tell(&Observer::bound);
    const ThingId thing = core_.facts.make_thing(ThingKind::module);
    auto box = Shared<ModuleBox>::make(core_.arena, core_, library, thing);
    made = frame_.make(kModuleType, ModulePayload{thing, std::move(box)});
    return Status::ok;
  });
  return frame_.keep(into, status, std::move(made));
}

// ---- events and streams -------------------------------------------------------------------------

Status ScriptObjects::create_event(Variable into) {
  const Method method(core_);
  Ref made;
  const Status status = frame_.c_call("create_event", [&] {
    CUevent event = nullptr;
    if (cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return Status::driver_error;
    frame_.tell(&Observer::bound);
    const ThingId thing = core_.facts.make_thing(ThingKind::event);
    auto box = Shared<EventBox>::make(core_.arena, core_, event, thing);
    made = frame_.make(kEventType, EventPayload{thing, std::move(box)});
    return Status::ok;
  });
  return frame_.keep(into, status, std::move(made));
}

Status ScriptObjects::close_event(Variable variable) {
  const Method method(core_);
  Ref event;
  if (const Status status = frame_.load(variable, kEventType, event); status != Status::ok)
    return status;
  return frame_.c_call("Event.close", [&] {
    auto& payload = event->payload<EventPayload>();
    frame_.tell(&ThingWitness::thing_closed, payload.thing);
    frame_.tell(&Observer::closed, event.birth());
    payload.event.reset();
    return Status::ok;
  });
}

Status ScriptObjects::record(Variable variable, StreamName name) {
  const Method method(core_);
  Ref event;
  if (const Status status = frame_.load(variable, kEventType, event); status != Status::ok)
    return status;
  return frame_.c_call("Stream.record", [&] {
    const Shared<EventBox> box = event->payload<EventPayload>().event;
    const Shared<StreamBox> held = core_.streams[harness::raw(name)];  // Another task may close it.
    CUstream stream = nullptr;
    if (!box) return Status::closed;
    if (const Status found = frame_.stream_of(name, stream); found != Status::ok) return found;
    if (cuEventRecord(box->event, stream) != CUDA_SUCCESS) return Status::driver_error;
    frame_.tell(&Observer::bound);
    return Status::ok;
  });
}

Status ScriptObjects::close_stream() {
  const Method method(core_);
  return frame_.c_call("Stream.close", [&] {
    const Shared<StreamBox> closed = std::move(core_.streams[harness::raw(StreamName::second)]);
    frame_.tell(&Observer::bound);
    return Status::ok;
  });
}

}  // namespace targets::graph_argument
