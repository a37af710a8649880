// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/program.h"

#include <algorithm>

#include "targets/argpack/gfx_runtime.h"
#include "targets/argpack/policy.h"

namespace targets::argpack {

using harness::Borrowed;
using harness::Owned;

Program::Program(Core& core, std::uint32_t generation) : core_(core), generation_(generation) {
  harness::Arena& arena = core.scheduler.arena();
  if (core.setup.backend == Backend::gfx) {
    auto* device = arena.make<GfxDevice>(core.ledger, core.driver.memory());
    gfx_ = arena.make<GfxRuntime>(core, *device);
    device_ = device;
  } else {
    const bool is_cpu = core.setup.backend == Backend::cpu;
    device_ = arena.make<LlvmDevice>(core.ledger, core.driver.memory(), is_cpu);
  }
  kernel_ = core.runtime.host.make<Kernel>("Kernel", kDepthLimit + 3);
}

// ---- creating -----------------------------------------------------------------------------------

Status Program::create_argpack(std::uint32_t depth, const PackBlock& block,
                               Borrowed<ArgPack>& created) {
  DeviceAllocation allocation;
  const Status status = device_->allocate(Use::object, sizeof(PackBlock), allocation);
  if (status != Status::ok) return status;
  if (cuMemcpyHtoD(device_->pointer(allocation), &block, sizeof block) != CUDA_SUCCESS) {
    device_->deallocate(allocation);
    return Status::driver_error;
  }
  argpacks_.push_back(core_.runtime.host.make<ArgPack>("ArgPack", allocation, depth));
  argpacks_.back()->adopted_as(argpacks_.back().birth());
  created = argpacks_.back().borrow();
  return Status::ok;
}

Status Program::create_ndarray(std::int32_t value, Borrowed<Ndarray>& created) {
  DeviceAllocation allocation;
  const Status status =
      device_->allocate(Use::object, kArrayWords * sizeof(std::int32_t), allocation);
  if (status != Status::ok) return status;
  const auto bits = static_cast<std::uint32_t>(value);
  if (cuMemsetD32(device_->pointer(allocation), bits, kArrayWords) != CUDA_SUCCESS) {
    device_->deallocate(allocation);
    return Status::driver_error;
  }
  ndarrays_.push_back(core_.runtime.host.make<Ndarray>("Ndarray", allocation));
  ndarrays_.back()->adopted_as(ndarrays_.back().birth());
  created = ndarrays_.back().borrow();
  return Status::ok;
}

// ---- deleting -----------------------------------------------------------------------------------

template <class T>
static std::size_t find(const std::pmr::vector<Owned<T>>& objects, std::uintptr_t address) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Owned<T>& object) {
    return object.borrow().address() == address;
  });
  return static_cast<std::size_t>(found - objects.begin());
}

// Removes the object first: its destructor has preemption points, and the table may change.
template <class T>
void Program::end(std::pmr::vector<Owned<T>>& objects, std::size_t index) {
  Owned<T> victim = std::move(objects[index]);
  if (index + 1 < objects.size()) objects[index] = std::move(objects.back());
  objects.pop_back();
}

// Deletes by address, which is all the real system has; the ledger knows the object meant.
template <class T>
void Program::remove(std::pmr::vector<Owned<T>>& objects, const Borrowed<T>& pointer,
                     std::uint32_t generation) {
  const std::size_t index = find(objects, pointer.address());
  if (index == objects.size()) return;
  const bool stale = generation != generation_;
  if (stale) core_.facts.tell(&Observer::deleted_by_stale_wrapper);
  if (core_.policy->dispose(*objects[index], stale) == Disposal::ignore) return;
  const harness::BirthId met = objects[index].birth();
  if (met != pointer.birth()) core_.ledger.wrong_owner(pointer.birth(), met);
  end(objects, index);
}

void Program::delete_argpack(const Borrowed<ArgPack>& argpack, std::uint32_t generation) {
  remove(argpacks_, argpack, generation);
}
void Program::delete_ndarray(const Borrowed<Ndarray>& ndarray, std::uint32_t generation) {
  remove(ndarrays_, ndarray, generation);
}
void Program::erase(const Borrowed<ArgPack>& argpack) {
  end(argpacks_, find(argpacks_, argpack.address()));
}
void Program::erase(const Borrowed<Ndarray>& ndarray) {
  end(ndarrays_, find(ndarrays_, ndarray.address()));
}

// ---- contents -----------------------------------------------------------------------------------

// Uses the table of the pack's own program, whichever program writes.
Status Program::write(const DeviceAllocation& target, std::size_t offset, const void* bytes,
                      std::size_t size) {
  Device& device = *target.device;
  DeviceAllocation staging;
  const Status status = device.allocate(Use::staging, size, staging);
  if (status != Status::ok) return status;
  const CUdeviceptr source = device.pointer(staging);
  const bool copied = cuMemcpyHtoD(source, bytes, size) == CUDA_SUCCESS &&
                      cuMemcpyDtoD(device.pointer(target) + offset, source, size) == CUDA_SUCCESS;
  const Status waited = synchronize();
  device.deallocate(staging);
  return copied ? waited : Status::driver_error;
}

Status Program::fill(const Borrowed<Ndarray>& ndarray, std::int32_t value) {
  const DeviceAllocation allocation = ndarray->allocation();
  if (!device_->validate(allocation)) return Status::invalid_allocation;
  const CUdeviceptr address = device_->pointer(allocation);
  const CUresult result = cuMemsetD32(address, static_cast<std::uint32_t>(value), kArrayWords);
  return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

Status Program::read(const Borrowed<Ndarray>& ndarray, std::span<std::int32_t> words) {
  const Status flushed = flush();
  const DeviceAllocation allocation = ndarray->allocation();
  if (!device_->validate(allocation)) return Status::invalid_allocation;
  const CUdeviceptr address = device_->pointer(allocation);
  const CUresult result = cuMemcpyDtoH(words.data(), address, words.size_bytes());
  return result == CUDA_SUCCESS ? flushed : Status::driver_error;
}

// ---- running ------------------------------------------------------------------------------------

Status Program::compile_kernel(const Borrowed<Kernel>& kernel, Borrowed<CompiledKernel>& compiled) {
  const std::uint32_t parameter_count = kernel->parameter_count;
  HARNESS_CHECK(parameter_count > 0, "a kernel has parameters");
  if (!compiled_)
    compiled_ = core_.runtime.host.make<CompiledKernel>("CompiledKernel", core_.setup.walk);
  compiled = compiled_.borrow();
  return Status::ok;
}

Status Program::synchronize() {
  const Status flushed = flush();
  if (cuStreamSynchronize(nullptr) != CUDA_SUCCESS) return Status::driver_error;
  finished();
  return flushed;
}

void Program::finished() {
  if (gfx_ != nullptr) gfx_->finished();
  core_.facts.tell(&Observer::finished);
  core_.policy->synchronized(*this);
}

Status Program::flush() { return gfx_ != nullptr ? gfx_->flush() : Status::ok; }

// ---- the end ------------------------------------------------------------------------------------

void Program::finalize() {
  synchronize();
  device_->finalize(core_.policy->clears_table());
  core_.driver.memory().reset();
  is_finalized_ = true;
}

// A finalized gfx program submits the launches that it has recorded since, before it is destroyed.
void Program::destroy() {
  const harness::SiteScope site(core_.scheduler, kAtReset);
  destroy(argpacks_);
  destroy(ndarrays_);
  if (gfx_ != nullptr) gfx_->finish();
  compiled_.reset();
  kernel_.reset();
}

template <class T>
void Program::destroy(std::pmr::vector<Owned<T>>& objects) {
  for (std::size_t left = objects.size(); left > 0; --left) {
    if (device_->is_lost(objects[left - 1]->allocation()))
      core_.facts.tell(&Observer::freed_by_ended_program);
    end(objects, left - 1);
  }
}

}  // namespace targets::argpack
