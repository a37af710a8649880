#include <cstring>

#include "targets/argpack/script.h"

namespace targets::argpack {

using harness::Label;
using harness::Ref;
using harness::SiteScope;

// ---- ndarrays -----------------------------------------------------------------------------------

Status Script::make_array(std::int32_t value, Ref& made) {
  step("ScalarNdarray.__init__");
  const ThingId thing = core_.facts.made(Kind::ndarray, value);
  made = core_.runtime.heap.make<ArrayPayload>(kArrayType, ArrayPayload{this, thing, 0, {}});
  return c_call("create_ndarray", [&](Program& program) {
    ArrayPayload& payload = made->payload<ArrayPayload>();
    payload.generation = program.generation();
    const Status status = program.create_ndarray(value, payload.ndarray);
    if (status == Status::ok)
      core_.facts.tell(&Observer::built, thing, payload.ndarray.birth(), payload.generation);
    return status;
  });
}

void Script::finalize(ArrayPayload& payload) {
  core_.facts.tell(&Observer::ended, payload.thing);
  const std::uint32_t now = generation_now();
  if (now == 0 || !payload.ndarray) return;
  const Label site =
      core_.facts.site_of_death(kDeleteNdarray, payload.thing, payload.generation != now);
  c_call(site, [&](Program& program) {
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
  const ThingId thing = payload.thing;
  core_.facts.tell(&Observer::assigned, thing, value);
  return c_call("fill", [&](Program& program) {
    if (payload.generation != program.generation()) return Status::stale_object;
    const Status status = program.fill(payload.ndarray, value);
    if (status == Status::ok) core_.facts.tell(&Observer::written, thing, value);
    return status;
  });
}

/// array.grad = gradient; an empty one for None. A plain attribute.
Status Script::set_grad(const Ref& array, const Ref& gradient) {
  step("STORE_ATTR");
  const ThingId value = gradient ? thing_of(*gradient) : ThingId::none;
  core_.facts.tell(&Observer::attached, array->payload<ArrayPayload>().thing, 1, value);
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

// One birth site, whoever asks: storage is storage.
Status Script::allocate(ExternalPayload& payload, External& made) {
  const SiteScope site(core_.scheduler, kNewExternal);
  ExternalBlock block{};
  for (std::uint32_t i = 0; i < kArrayWords; ++i) block.in[i] = external_element(payload.value, i);
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
  const ThingId thing = core_.facts.made(Kind::external, value);
  Ref made = core_.runtime.heap.make<ExternalPayload>(kExternalType,
                                                      ExternalPayload{this, thing, value, {}});
  ExternalPayload& payload = made->payload<ExternalPayload>();
  payload.external.storage = storage;
  const Status status =
      c_call(kNewExternal, [&](Program&) { return allocate(payload, payload.external); });
  if (status == Status::ok) tell_storage(payload);
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

void Script::tell_storage(const ExternalPayload& payload) {
  core_.facts.tell(&Observer::built, payload.thing, payload.external.host.birth(), 0);
}

// What an export is of stays where it is. Nobody else knows that anyone looks at it.
Status Script::resize(ExternalPayload& payload) {
  return c_call(kResizeExternal.plain, [&](Program&) {
    if (payload.external.export_count > 0) {
      core_.facts.tell(&Observer::kept_in_place, payload.thing);
      return Status::buffer_error;
    }
    External moved;
    if (const Status status = allocate(payload, moved); status != Status::ok) return status;
    core_.facts.tell(&Observer::moved, payload.thing);
    const SiteScope site(core_.scheduler,
                         core_.facts.site_of_death(kResizeExternal, payload.thing));
    std::swap(payload.external.host, moved.host);
    std::swap(payload.external.device, moved.device);
    tell_storage(payload);
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

// ---- reading ------------------------------------------------------------------------------------

Status Script::read_array(Program& program, const Ref& array) {
  const ArrayPayload& payload = array->payload<ArrayPayload>();
  if (payload.generation != program.generation()) return Status::stale_object;
  std::array<std::int32_t, kArrayWords> words;
  const Status status = program.read(payload.ndarray, words);
  if (status == Status::ok) core_.facts.tell(&Observer::contents, payload.thing, words);
  return status;
}

// torch's stream knows nothing of Taichi's: whoever looks has waited for both.
Status Script::read_external(Program& program, const ExternalPayload& payload) {
  const External& external = payload.external;
  std::array<std::int32_t, sizeof(ExternalBlock) / sizeof(std::int32_t)> words;
  if (external.storage == Storage::host) {
    std::memcpy(words.data(), &external.host->block, sizeof words);
  } else {
    const CUstream stream = core_.driver.user_stream();
    if (program.synchronize() != Status::ok ||
        cuMemcpyDtoHAsync(words.data(), external.device, sizeof words, stream) != CUDA_SUCCESS ||
        cuStreamSynchronize(stream) != CUDA_SUCCESS)
      return Status::driver_error;
  }
  core_.facts.tell(&Observer::contents, payload.thing, words);
  return Status::ok;
}

Status Script::to_numpy(Variable variable) {
  const Op op(core_);
  step("LOAD_GLOBAL");
  const Ref array = variables_[variable];
  if (!array) return Status::name_error;
  if (&array->type() == &kExternalType)
    return c_call("numpy", [&](Program& program) {
      return read_external(program, array->payload<ExternalPayload>());
    });
  if (&array->type() != &kArrayType) return Status::type_error;
  const Ref gradient = array->get("grad");
  return c_call("to_numpy", [&](Program& program) {
    const Status status = read_array(program, array);
    return status == Status::ok && gradient ? read_array(program, gradient) : status;
  });
}

void Script::deallocate(ExternalPayload& payload) {
  core_.facts.tell(&Observer::ended, payload.thing);
  const SiteScope site(core_.scheduler, core_.facts.site_of_death(kFreeExternal, payload.thing));
  free(payload.external);
}

}  // namespace targets::argpack
