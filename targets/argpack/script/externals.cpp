// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/script/externals.h"

#include <cstring>

namespace targets::argpack {

using harness::Ref;
using harness::SiteScope;

// Uses one birth site for all callers, because all storage is alike.
Status ExternalArrays::allocate(ExternalPayload& payload, External& made) {
  const SiteScope site(core_.scheduler, kNewExternal);
  ExternalBlock block{};
  for (std::uint32_t i = 0; i < kArrayWords; ++i) block.in[i] = external_element(payload.value, i);
  made.storage = payload.external.storage;
  if (made.storage == Storage::host) {
    made.host = core_.runtime.host.make<HostStorage>("HostStorage", block);
    return Status::ok;
  }
  const CUstream stream = core_.driver.user_stream();
  uses_user_stream_ = true;
  if (cuMemAllocAsync(&made.device, sizeof block, stream) != CUDA_SUCCESS)
    return Status::driver_error;
  const CUresult copied = cuMemcpyHtoDAsync(made.device, &block, sizeof block, stream);
  const CUresult waited = cuStreamSynchronize(stream);
  if (copied == CUDA_SUCCESS && waited == CUDA_SUCCESS) return Status::ok;
  cuMemFreeAsync(made.device, stream);
  made.device = 0;
  return Status::driver_error;
}

void ExternalArrays::free(External& external) {
  external.host.reset();
  if (external.device != 0)
    cuMemFreeAsync(std::exchange(external.device, 0), core_.driver.user_stream());
}

Status ExternalArrays::create(Variable into, Storage storage, std::int32_t value) {
  const Op op(core_);
  const ThingId thing = core_.facts.made(Kind::external, value);
  Ref made = core_.runtime.heap.make<ExternalPayload>(kExternalType,
                                                      ExternalPayload{this, thing, value, {}});
  ExternalPayload& payload = made->payload<ExternalPayload>();
  payload.external.storage = storage;
  const Status status =
      c_call(kNewExternal, [&](Program&) { return allocate(payload, payload.external); });
  if (status == Status::ok) tell_storage(payload);
  if (status == Status::ok) globals_.store(into, std::move(made));
  return status;
}

void ExternalArrays::tell_storage(const ExternalPayload& payload) {
  core_.facts.tell(&Observer::built, payload.thing, payload.external.host.birth(), 0);
}

// Refuses to move exported memory. Exports are the only sign that the memory is in use.
Status ExternalArrays::resize_now(ExternalPayload& payload) {
  return c_call(kResizeExternal, [&](Program&) {
    if (payload.external.export_count > 0) {
      core_.facts.tell(&Observer::kept_in_place, payload.thing);
      return Status::buffer_error;
    }
    External moved;
    if (const Status status = allocate(payload, moved); status != Status::ok) return status;
    core_.facts.tell(&Observer::moved, payload.thing);
    std::swap(payload.external.host, moved.host);
    std::swap(payload.external.device, moved.device);
    tell_storage(payload);
    free(moved);
    return Status::ok;
  });
}

Status ExternalArrays::resize(Variable variable) {
  const Op op(core_);
  Ref external;
  const Status status = globals_.load(variable, kExternalType, external);
  return status == Status::ok ? resize_now(external->payload<ExternalPayload>()) : status;
}

// torch's stream is not ordered with Taichi's: the caller has waited for both.
Status ExternalArrays::read(Program& program, const ExternalPayload& payload) {
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

// torch copies on its own stream, and waits if the other side is pageable memory.
Status ExternalArrays::copy_to_host(const Ref& tensor, Ref& copy) {
  const ExternalPayload& from = tensor->payload<ExternalPayload>();
  copy = core_.runtime.heap.make<ExternalPayload>(
      kExternalType, ExternalPayload{this, ThingId::none, from.value, {}});
  return c_call("Tensor.to", [&](Program&) {
    const SiteScope site(core_.scheduler, kNewExternal);
    const CUstream stream = core_.driver.user_stream();
    ExternalBlock block{};
    const CUresult copied = cuMemcpyDtoHAsync(&block, from.external.device, sizeof block, stream);
    const CUresult waited = cuStreamSynchronize(stream);
    if (copied != CUDA_SUCCESS || waited != CUDA_SUCCESS) return Status::driver_error;
    copy->payload<ExternalPayload>().external.host =
        core_.runtime.host.make<HostStorage>("HostStorage", block);
    return Status::ok;
  });
}

Status ExternalArrays::copy_from_host(const Ref& tensor, const Ref& copy) {
  return c_call("Tensor.copy_", [&](Program&) {
    const CUstream stream = core_.driver.user_stream();
    const ExternalBlock& block = copy->payload<ExternalPayload>().external.host->block;
    const CUdeviceptr device = tensor->payload<ExternalPayload>().external.device;
    const CUresult copied = cuMemcpyHtoDAsync(device, &block, sizeof block, stream);
    const CUresult waited = cuStreamSynchronize(stream);
    return copied == CUDA_SUCCESS && waited == CUDA_SUCCESS ? Status::ok : Status::driver_error;
  });
}

void ExternalArrays::deallocate(ExternalPayload& payload) {
  if (payload.thing != ThingId::none) core_.facts.tell(&Observer::ended, payload.thing);
  const SiteScope site(core_.scheduler, kFreeExternal);
  free(payload.external);
}

}  // namespace targets::argpack
