#include "targets/argpack/script.h"

namespace targets::argpack {

using harness::Label;
using harness::Ref;
using harness::SiteScope;

// ---- ndarrays -----------------------------------------------------------------------------------

Status Script::make_array(std::int32_t value, Ref& made) {
  step("ScalarNdarray.__init__");
  Thing* thing = core_.ghost.make(value);
  made = core_.runtime.heap.make<ArrayPayload>(kArrayType, ArrayPayload{this, thing, 0, {}});
  return c_call("create_ndarray", [&](Program& program) {
    ArrayPayload& payload = made->payload<ArrayPayload>();
    payload.generation = program.generation();
    return program.create_ndarray(value, payload.ndarray);
  });
}

static Label site_of_deletion(const Thing& thing, bool stale) {
  if (stale) return "delete_ndarray/stale";
  return thing.taken_reentrantly ? Label("delete_ndarray/reentrant") : Label("delete_ndarray");
}

void Script::finalize(ArrayPayload& payload) {
  core_.ghost.lose(*payload.thing);
  const std::uint32_t now = generation_now();
  if (now == 0 || !payload.ndarray) return;
  c_call(site_of_deletion(*payload.thing, payload.generation != now), [&](Program& program) {
    program.delete_ndarray(payload.ndarray, payload.generation);
    return Status::ok;
  });
}

Status Script::new_ndarray(Variable into, std::int32_t value, bool with_gradient) {
  const Op op(core_);
  Ref array;
  Status status = make_array(value, array);
  if (status != Status::ok) return status;
  if (with_gradient) {
    Ref gradient;
    status = make_array(0, gradient);
    if (status == Status::ok) status = set_grad(array, gradient);
  }
  if (status == Status::ok) store(into, std::move(array));
  return status;
}

Status Script::fill(Variable variable, std::int32_t value) {
  const Op op(core_);
  Ref array;
  if (const Status status = load(variable, kArrayType, array); status != Status::ok) return status;
  ArrayPayload& payload = array->payload<ArrayPayload>();
  const std::size_t which = core_.ghost.set(*payload.thing, value);
  return c_call("fill", [&](Program& program) {
    if (payload.generation != program.generation()) return Status::stale_object;
    const Status status = program.fill(payload.ndarray, value);
    if (status == Status::ok) core_.ghost.written(*payload.thing, which);
    return status;
  });
}

/// array.grad = gradient; an empty one for None. A plain attribute.
Status Script::set_grad(const Ref& array, const Ref& gradient) {
  step("STORE_ATTR");
  Thing* thing = gradient ? thing_of(*gradient) : nullptr;
  core_.ghost.attach(*array->payload<ArrayPayload>().thing, 1, thing);
  array->set("grad", gradient);
  return Status::ok;
}

Status Script::set_gradient(Variable variable) {
  const Op op(core_);
  Ref array;
  if (const Status status = load(variable, kArrayType, array); status != Status::ok) return status;
  Ref gradient;
  const Status status = make_array(0, gradient);
  return status == Status::ok ? set_grad(array, gradient) : status;
}

Status Script::drop_gradient(Variable variable) {
  const Op op(core_);
  Ref array;
  const Status status = load(variable, kArrayType, array);
  return status == Status::ok ? set_grad(array, Ref()) : status;
}

// ---- external arrays ----------------------------------------------------------------------------

/// Where external memory goes, told by what may be using it.
static Label site_of_freeing(Ghost& ghost, const Thing& thing) {
  if (ghost.in_flight(thing)) return "free_external/in_flight";
  return thing.taken_reentrantly ? Label("free_external/reentrant") : Label("free_external");
}

static Label site_of_moving(Ghost& ghost, const Thing& thing) {
  if (ghost.in_flight(thing)) return "resize_external/in_flight";
  return thing.taken_reentrantly ? Label("resize_external/reentrant") : Label("resize_external");
}

// One birth site, whoever asks: storage is storage.
Status Script::allocate(ExternalPayload& payload, External& made) {
  const SiteScope site(core_.scheduler, "new_external");
  const auto value = static_cast<std::int32_t>(payload.thing->values.front());
  ExternalBlock block{};
  for (std::uint32_t i = 0; i < kArrayWords; ++i) block.in[i] = external_element(value, i);
  made.storage = payload.external.storage;
  if (made.storage == Storage::host) {
    made.host = core_.runtime.host.make<HostStorage>("HostStorage", block);
    return Status::ok;
  }
  const CUstream stream = core_.driver.user_stream();
  user_stream_used_ = true;
  if (cuMemAllocAsync(&made.device, sizeof block, stream) != CUDA_SUCCESS)
    return Status::driver_error;
  const CUresult copied = cuMemcpyHtoDAsync(made.device, &block, sizeof block, stream);
  const CUresult waited = cuStreamSynchronize(stream);
  if (copied == CUDA_SUCCESS && waited == CUDA_SUCCESS) return Status::ok;
  cuMemFreeAsync(made.device, stream);
  made.device = 0;
  return Status::driver_error;
}

void Script::free(External& external) {
  external.host.reset();
  if (external.device != 0)
    cuMemFreeAsync(std::exchange(external.device, 0), core_.driver.user_stream());
}

Status Script::new_external(Variable into, Storage storage, std::int32_t value) {
  const Op op(core_);
  Thing* thing = core_.ghost.make(value);
  Ref made =
      core_.runtime.heap.make<ExternalPayload>(kExternalType, ExternalPayload{this, thing, {}});
  ExternalPayload& payload = made->payload<ExternalPayload>();
  payload.external.storage = storage;
  const Status status =
      c_call("new_external", [&](Program&) { return allocate(payload, payload.external); });
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

// What an export is of stays where it is. Nobody else knows that anyone looks at it.
Status Script::resize(ExternalPayload& payload) {
  return c_call("resize_external", [&](Program&) {
    if (payload.external.export_count > 0) {
      core_.ghost.move(*payload.thing);
      return Status::buffer_error;
    }
    External moved;
    if (const Status status = allocate(payload, moved); status != Status::ok) return status;
    core_.ghost.move(*payload.thing);
    const SiteScope site(core_.scheduler, site_of_moving(core_.ghost, *payload.thing));
    std::swap(payload.external.host, moved.host);
    std::swap(payload.external.device, moved.device);
    free(moved);
    return Status::ok;
  });
}

Status Script::resize_external(Variable variable) {
  const Op op(core_);
  Ref external;
  const Status status = load(variable, kExternalType, external);
  return status == Status::ok ? resize(external->payload<ExternalPayload>()) : status;
}

void Script::deallocate(ExternalPayload& payload) {
  core_.ghost.lose(*payload.thing);
  const SiteScope site(core_.scheduler, site_of_freeing(core_.ghost, *payload.thing));
  free(payload.external);
}

}  // namespace targets::argpack
