// SPDX-License-Identifier: Apache-2.0
// How gfx launches. Recording a launch follows every bound pointer and marks its target as in use.
// A recorded launch retains the memory until the device has finished. The launch's own buffers are
// in ctx_buffers_.
#include "targets/argpack/gfx_runtime.h"

#include "targets/argpack/launcher.h"
#include "targets/argpack/policy.h"

namespace targets::argpack {

using harness::SiteScope;

Status launch_gfx(Core&, Program& program, const CompiledKernel& compiled, LaunchContext& context,
                  bool returns) {
  return program.gfx()->launch(compiled, context, returns);
}

Status GfxRuntime::launch(const CompiledKernel& compiled, LaunchContext& context, bool returns) {
  Buffers buffers;
  Dispatch dispatch{};
  const Status status = prepare(compiled.walk, context, buffers, dispatch);
  if (status != Status::ok) {
    for (std::uint32_t i = 0; i < dispatch.reference_count; ++i)
      GfxDevice::release(dispatch.references[i]);
    return status;
  }
  record(context, buffers, dispatch);
  context.launched = true;
  const bool waits = returns || buffers.external.device != nullptr;
  if (waits) return read_back(context, buffers, returns);
  return recorded_.size() >= kPendingLimit ? flush() : Status::ok;
}

Status GfxRuntime::prepare(const Walk& walk, LaunchContext& context, Buffers& buffers,
                           Dispatch& dispatch) {
  Status status = allocate(sizeof(ArgumentBlock), buffers.arguments);
  if (status == Status::ok) status = allocate(result_bytes(context), buffers.results);
  if (status == Status::ok) status = resolve_arrays(context, buffers, dispatch);
  if (status != Status::ok) return status;
  resolve_packs(context, walk);
  if (context.external.bound) status = copy_in(context, buffers, dispatch);
  if (status != Status::ok) return status;
  context.arguments.scalar = context.scalar;
  const CUdeviceptr arguments = device_.pointer(buffers.arguments);
  const CUresult result = cuMemcpyHtoD(arguments, &context.arguments, sizeof(ArgumentBlock));
  return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

// Adds the buffer to ctx_buffers_ at once: the next flush frees it even if the launch fails.
Status GfxRuntime::allocate(std::size_t bytes, DeviceAllocation& allocation) {
  const Status status = device_.allocate(Use::buffer, bytes, allocation);
  if (status == Status::ok) ctx_buffers_.push_back(allocation);
  return status;
}

Status GfxRuntime::resolve_arrays(LaunchContext& context, Buffers& buffers, Dispatch& dispatch) {
  if (context.array.bound) {
    const SiteScope site(core_.scheduler, kLaunchArray);
    context.arguments.array = resolve_array(context.array, dispatch);
  }
  return context.external.bound ? allocate(sizeof(ExternalBlock), buffers.external) : Status::ok;
}

CUdeviceptr GfxRuntime::resolve_array(const ArrayArgument& argument, Dispatch& dispatch) {
  const DeviceAllocation allocation = core_.policy->allocation_of(argument);
  core_.policy->used_array(allocation);
  const CUdeviceptr address = allocation.device->pointer(allocation);
  dispatch.refer(GfxDevice::retain(allocation));
  return address;
}

Status GfxRuntime::copy_in(LaunchContext& context, const Buffers& buffers, Dispatch& dispatch) {
  const SiteScope site(core_.scheduler, kLaunchExternal);
  const ExternalBlock& block = context.external.host->block;
  const CUdeviceptr address = device_.pointer(buffers.external);
  if (cuMemcpyHtoD(address, &block, sizeof block) != CUDA_SUCCESS) return Status::driver_error;
  dispatch.refer(GfxDevice::retain(buffers.external));
  context.arguments.external = address;
  return Status::ok;
}

void GfxRuntime::resolve_packs(LaunchContext& context, const Walk& walk) {
  for (const Place place : walk) {
    const std::uint32_t level = harness::raw(place);
    if (!is_pack(place) || level >= context.depth) continue;
    const SiteScope site(core_.scheduler, pack_site(level));
    const DeviceAllocation allocation = core_.policy->allocation_of(context.packs[level]);
    core_.policy->used(allocation);
    context.arguments.bound[level] = allocation.device->pointer(allocation);
  }
}

// Looks each pack up again, because binding a task of a kernel does so.
void GfxRuntime::record(const LaunchContext& context, const Buffers& buffers, Dispatch& dispatch) {
  const SiteScope site(core_.scheduler, kLaunchBind);
  for (std::uint32_t level = 0; level < context.depth; ++level) {
    const DeviceAllocation allocation = core_.policy->allocation_of(context.packs[level]);
    dispatch.refer(GfxDevice::retain(allocation));
  }
  dispatch.refer(GfxDevice::retain(buffers.arguments));
  dispatch.refer(GfxDevice::retain(buffers.results));
  dispatch.parameters = kernel_parameters(core_, context, device_.pointer(buffers.arguments),
                                          device_.pointer(buffers.results));
  recorded_.push_back(dispatch);
}

// Reads the pointers of the launch's buffers before flush() frees them.
Status GfxRuntime::read_back(LaunchContext& context, const Buffers& buffers, bool returns) {
  const CUdeviceptr results = device_.pointer(buffers.results);
  const bool has_external = buffers.external.device != nullptr;
  const CUdeviceptr external = has_external ? device_.pointer(buffers.external) : 0;
  Status status = flush();
  if (cuStreamSynchronize(nullptr) != CUDA_SUCCESS) status = Status::driver_error;
  if (returns && cuMemcpyDtoH(&context.results, results, result_bytes(context)) != CUDA_SUCCESS)
    status = Status::driver_error;
  if (has_external) {
    const SiteScope site(core_.scheduler, kLaunchCopyBack);
    ExternalBlock& block = context.external.host->block;
    if (cuMemcpyDtoH(&block, external, sizeof block) != CUDA_SUCCESS) status = Status::driver_error;
  }
  finished();
  return status;
}

Status GfxRuntime::flush() {
  Status status = Status::ok;
  for (const Dispatch& dispatch : recorded_) {
    if (submit(core_, dispatch.parameters) != Status::ok) status = Status::driver_error;
    submitted_.insert(submitted_.end(), dispatch.references.begin(),
                      dispatch.references.begin() + dispatch.reference_count);
  }
  recorded_.clear();
  for (const DeviceAllocation& allocation : ctx_buffers_) device_.deallocate(allocation);
  ctx_buffers_.clear();
  return status;
}

void GfxRuntime::finished() {
  for (const GfxDevice::Buffer& buffer : submitted_) GfxDevice::release(buffer);
  submitted_.clear();
}

void GfxRuntime::finish() {
  if (empty()) return;
  flush();
  cuStreamSynchronize(nullptr);
  finished();
}

}  // namespace targets::argpack
