// SPDX-License-Identifier: Apache-2.0
// How the LLVM launchers work. The parameters are walked in the order of an unordered map. Each
// bound pointer is followed here, for the first time since it was bound. A nested pack's device
// address is written into its parent's memory, so the parent is followed as well.
#include "targets/argpack/launcher.h"

#include "targets/argpack/policy.h"

namespace targets::argpack {

using harness::SiteScope;

std::size_t result_bytes(const LaunchContext& context) {
  if (context.external.bound) return sizeof(ResultBlock);
  return context.array.bound ? offsetof(ResultBlock, in) : offsetof(ResultBlock, array);
}

KernelParameters kernel_parameters(const Core& core, const LaunchContext& context,
                                   CUdeviceptr arguments, CUdeviceptr results) {
  const bool has_gradient = context.gradient.bound && follows_gradients(core.setup.backend);
  const std::int32_t flags =
      (context.array.bound ? kUsesArray : 0) | (has_gradient ? kUsesGradient : 0) |
      (context.external.bound ? kUsesExternal : 0) | (context.has_scalar ? kUsesScalar : 0);
  return {{arguments, results}, static_cast<std::int32_t>(context.depth), flags};
}

void use_buffer(Core& core, harness::BirthId buffer) {
  if (buffer != harness::BirthId::none && !core.ledger.used(buffer, buffer)) core.scheduler.die();
}

Status submit(Core& core, KernelParameters parameters) {
  void* addresses[] = {&parameters.context, &parameters.depth, &parameters.flags};
  const CUresult result = cuLaunchKernel(core.driver.function(), kBlockCount, 1, 1, kBlockThreads,
                                         1, 1, 0, nullptr, addresses, nullptr);
  if (result != CUDA_SUCCESS) return Status::driver_error;
  if (core.setup.backend == Backend::cpu)
    cuStreamSynchronize(nullptr);  // Runs in the caller's thread.
  return Status::ok;
}

namespace {

/// Device memory that is freed when the launch ends, whatever its result.
class Temporary {
 public:
  Temporary(Memory& memory, Use use) : memory_(memory), use_(use) {}
  ~Temporary() { free(); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  Status allocate(std::size_t bytes) { return memory_.allocate(use_, bytes, address_); }
  void free() {
    if (address_ != 0) memory_.free(use_, std::exchange(address_, 0));
  }
  CUdeviceptr address() const { return address_; }

 private:
  Memory& memory_;
  Use use_;
  CUdeviceptr address_ = 0;
};

class LlvmLaunch {
 public:
  LlvmLaunch(Core& core, Program& program, LaunchContext& context)
      : core_(core),
        program_(program),
        context_(context),
        results_(core.driver.memory(), Use::buffer),
        arguments_(core.driver.memory(), Use::buffer),
        transfer_(core.driver.memory(), Use::object) {}

  Status run(const CompiledKernel& compiled, bool returns) {
    if (const Status status = results_.allocate(result_bytes(context_)); status != Status::ok)
      return status;
    if (const Status status = resolve(compiled.walk); status != Status::ok) return status;
    if (transfer_.address() != 0) cuStreamSynchronize(nullptr);
    if (const Status status = start(); status != Status::ok) return status;
    return finish(returns);
  }

 private:
  void use_arguments();
  void store(CUdeviceptr& argument, CUdeviceptr address);
  Status resolve(const Walk& walk);
  Status resolve_at(Place place);
  Status resolve_pack(std::uint32_t level);
  Status resolve_arrays();
  Status resolve_array(ArrayArgument& argument, CUdeviceptr& stored);
  Status resolve_external();
  Status copy_in();
  Status copy_back();
  Status start();
  Status read_back();
  harness::BirthId lose(harness::Label kind, const Temporary& buffer, std::size_t bytes) const;
  Status finish(bool returns);

  Core& core_;
  Program& program_;
  LaunchContext& context_;
  Temporary results_;
  Temporary arguments_;
  Temporary transfer_;  ///< Device copy of an external array.
};

// Checks arg_buffer: an earlier launch of the context left it pointing at that launch's buffer,
// which is freed. CPU launches have no such buffer.
void LlvmLaunch::use_arguments() {
  const SiteScope site(core_.scheduler, kLaunchArguments);
  use_buffer(core_, context_.device_arguments);
}

void LlvmLaunch::store(CUdeviceptr& argument, CUdeviceptr address) {
  use_arguments();
  argument = address;
}

Status LlvmLaunch::resolve(const Walk& walk) {
  for (const Place place : walk)
    if (const Status status = resolve_at(place); status != Status::ok) return status;
  return Status::ok;
}

Status LlvmLaunch::resolve_at(Place place) {
  if (is_pack(place)) {
    const std::uint32_t level = harness::raw(place);
    return level < context_.depth ? resolve_pack(level) : Status::ok;
  }
  if (place == Place::external) return context_.external.bound ? resolve_external() : Status::ok;
  return resolve_arrays();
}

Status LlvmLaunch::resolve_pack(std::uint32_t level) {
  DeviceAllocation allocation;
  CUdeviceptr address = 0;
  {
    const SiteScope site(core_.scheduler, pack_site(level));
    allocation = core_.policy->allocation_of(context_.packs[level]);
    core_.policy->used(allocation);
    if (!program_.device().validate(allocation)) return Status::invalid_allocation;
    address = program_.device().pointer(allocation);
  }
  if (level == 0) {
    store(context_.arguments.pack, address);
    return Status::ok;
  }
  const SiteScope site(core_.scheduler, kLaunchParent);
  const DeviceAllocation parent = core_.policy->allocation_of(context_.packs[level - 1]);
  return program_.write(parent, offsetof(PackBlock, c), &address, sizeof address);
}

Status LlvmLaunch::resolve_arrays() {
  if (context_.array.bound) {
    const SiteScope site(core_.scheduler, kLaunchArray);
    const Status status = resolve_array(context_.array, context_.arguments.array);
    if (status != Status::ok) return status;
  }
  if (!context_.gradient.bound || !follows_gradients(core_.setup.backend)) return Status::ok;
  const SiteScope site(core_.scheduler, kLaunchGradient);
  return resolve_array(context_.gradient, context_.arguments.gradient);
}

// The CPU launcher treats a resolved pointer as a device address in the next launch.
Status LlvmLaunch::resolve_array(ArrayArgument& argument, CUdeviceptr& stored) {
  if (argument.resolved) {
    store(stored, argument.array.address());
    return Status::ok;
  }
  const DeviceAllocation allocation = core_.policy->allocation_of(argument);
  core_.policy->used_array(allocation);
  if (!program_.device().validate(allocation)) return Status::invalid_allocation;
  argument.resolved = core_.setup.backend == Backend::cpu;
  store(stored, program_.device().pointer(allocation));
  return Status::ok;
}

Status LlvmLaunch::resolve_external() {
  const SiteScope site(core_.scheduler, kLaunchExternal);
  if (context_.external.storage == Storage::host) return copy_in();
  int type = 0;
  cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, context_.external.device);
  store(context_.arguments.external, context_.external.device);
  return Status::ok;
}

Status LlvmLaunch::copy_in() {
  if (const Status status = transfer_.allocate(sizeof(ExternalBlock)); status != Status::ok)
    return status;
  const ExternalBlock& block = context_.external.host->block;
  if (cuMemcpyHtoD(transfer_.address(), &block, sizeof block) != CUDA_SUCCESS)
    return Status::driver_error;
  store(context_.arguments.external, transfer_.address());
  return Status::ok;
}

Status LlvmLaunch::copy_back() {
  const SiteScope site(core_.scheduler, kLaunchCopyBack);
  cuStreamSynchronize(nullptr);
  ExternalBlock& block = context_.external.host->block;
  const CUresult result = cuMemcpyDtoH(&block, transfer_.address(), sizeof block);
  return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

Status LlvmLaunch::start() {
  context_.arguments.scalar = context_.scalar;
  if (const Status status = arguments_.allocate(sizeof(ArgumentBlock)); status != Status::ok)
    return status;
  use_arguments();
  const CUresult copied =
      cuMemcpyHtoDAsync(arguments_.address(), &context_.arguments, sizeof(ArgumentBlock), nullptr);
  if (copied != CUDA_SUCCESS) return Status::driver_error;
  const Status status =
      submit(core_, kernel_parameters(core_, context_, arguments_.address(), results_.address()));
  if (status == Status::ok) context_.launched = true;
  return status;
}

Status LlvmLaunch::read_back() {
  const SiteScope site(core_.scheduler, kLaunchResults);
  use_buffer(core_, context_.device_results);
  const std::size_t bytes = result_bytes(context_);
  const CUresult result =
      core_.setup.backend == Backend::cpu
          ? cuMemcpyDtoH(&context_.results, results_.address(), bytes)
          : cuMemcpyDtoHAsync(&context_.results, results_.address(), bytes, nullptr);
  return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

// Records that the context still points at the buffer, which is about to be freed.
harness::BirthId LlvmLaunch::lose(harness::Label kind, const Temporary& buffer,
                                  std::size_t bytes) const {
  const harness::BirthId life = core_.ledger.born(kind, buffer.address(), bytes);
  core_.ledger.died(life);
  return life;
}

Status LlvmLaunch::finish(bool returns) {
  const bool keeps_pointers = core_.setup.backend != Backend::cpu;
  if (keeps_pointers)
    context_.device_arguments = lose("argument buffer", arguments_, sizeof(ArgumentBlock));
  arguments_.free();
  const Status status = returns ? read_back() : Status::ok;
  if (keeps_pointers && returns)
    context_.device_results = lose("result buffer", results_, result_bytes(context_));
  results_.free();
  if (transfer_.address() == 0) return status;
  const Status copied = copy_back();
  return status == Status::ok ? copied : status;
}

}  // namespace

Status launch_llvm(Core& core, Program& program, const CompiledKernel& compiled,
                   LaunchContext& context, bool returns) {
  return LlvmLaunch(core, program, context).run(compiled, returns);
}

}  // namespace targets::argpack
