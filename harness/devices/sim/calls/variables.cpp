// SPDX-License-Identifier: Apache-2.0
// Variables of modules: device memory that exists as long as the module.
#include <algorithm>
#include <cstring>

#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

/// Fills a variable. The addresses of other variables in it refer to their present memory.
static void fill(SimDevice& sim, const KernelImage& image, std::uint32_t index) {
  const KernelVariable& variable = image.variables[index];
  auto* bytes = reinterpret_cast<std::byte*>(image.variable_addresses[index]);
  if (variable.initial != nullptr)
    std::memcpy(bytes, variable.initial, variable.bytes);
  else
    std::memset(bytes, 0, variable.bytes);
  for (std::uint32_t i = 0; i < image.relocation_count; ++i) {
    const KernelRelocation& relocation = image.relocations[i];
    if (relocation.variable != index) continue;
    const std::uint64_t value = image.variable_addresses[relocation.target] + relocation.addend;
    std::memcpy(bytes + relocation.offset, &value, sizeof value);
  }
  sim.provenance().wrote_now(image.variable_addresses[index], bytes, variable.bytes);
}

CUresult give_variables(SimDevice& sim, Module& module) {
  const KernelImage& image = *module.image;
  for (std::uint32_t i = 0; i < image.variable_count; ++i) {
    const std::uint64_t bytes = std::max<std::uint64_t>(image.variables[i].bytes, 1);
    const Origin origin = image.variables[i].is_managed ? Origin::managed : Origin::device;
    const std::uint32_t index = sim.memory().allocate(origin, bytes);
    if (index == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    Block& block = sim.memory().block(index);
    block.context = module.context;
    if (image.variables[i].is_managed) sim.host_memory().add(index);
    module.variables.push_back(index);
    image.variable_addresses[i] = block.base;
  }
  for (std::uint32_t i = 0; i < image.variable_count; ++i) fill(sim, image, i);
  return CUDA_SUCCESS;
}

void take_variables(SimDevice& sim, Module& module) {
  for (const std::uint32_t index : module.variables)
    if (!sim.memory().block(index).dead) sim.queues().release_when_idle(index);
  module.variables.clear();
}

CUresult find_variable(SimDevice& sim, const Module& module, const char* name, CUdeviceptr* address,
                       std::size_t* bytes) {
  const KernelImage& image = *module.image;
  for (std::uint32_t i = 0; i < image.variable_count; ++i) {
    if (std::strcmp(image.variables[i].name, name) != 0) continue;
    if (address != nullptr) *address = sim.memory().block(module.variables[i]).base;
    if (bytes != nullptr) *bytes = image.variables[i].bytes;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult Calls::cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary handle,
                                    const char* name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Library* library = sim.find(sim.handles().libraries, handle, "library");
  if (library == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  CUdeviceptr found = 0;
  if (const CUresult error = find_variable(sim, *library->module, name, &found, bytes);
      error != CUDA_SUCCESS)
    return error;
  const Block& block = sim.memory().block(sim.memory().newest(found));
  if (!HostMemory::is_managed(block)) return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = found;
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
