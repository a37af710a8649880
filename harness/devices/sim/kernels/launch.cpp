// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/kernels/launch.h"

#include <cstring>

namespace harness::devices {

/// Adds the addresses of the module's variables as hidden parameters, so that the allocations they
/// point to are captured like those of other parameters.
static void lay_out_variables(Launch& launch, const KernelExtras& extras) {
  const std::size_t bytes = extras.variable_count * sizeof(std::uint64_t);
  const std::size_t offset = (launch.values.size() + 7) / 8 * 8;
  launch.values.resize(offset + bytes);
  if (bytes != 0) std::memcpy(launch.values.data() + offset, extras.variables, bytes);
  launch.surroundings.variables =
      reinterpret_cast<const std::uint64_t*>(launch.values.data() + offset);
}

static void lay_out(Launch& launch, const KernelEntry& kernel) {
  launch.entry = &kernel;
  launch.authority = AuthorityIndex::none;
  launch.is_cooperative = false;
  launch.there = nullptr;
  launch.blocks_run = 0;
  launch.values.assign(kernel.parameter_bytes, std::byte{0});
  if (kernel.extras != nullptr) lay_out_variables(launch, *kernel.extras);
  launch.pointers.clear();
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i)
    launch.pointers.push_back(launch.values.data() + kernel.parameters[i].offset);
  if (kernel.extras != nullptr) launch.pointers.push_back(&launch.surroundings);
}

void Launch::prepare(const KernelEntry& kernel, void* const* parameters) {
  lay_out(*this, kernel);
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i)
    std::memcpy(pointers[i], parameters[i], kernel.parameters[i].bytes);
}

void Launch::prepare(const KernelEntry& kernel, const std::byte* buffer) {
  lay_out(*this, kernel);
  if (kernel.parameter_bytes != 0) std::memcpy(values.data(), buffer, kernel.parameter_bytes);
}

}  // namespace harness::devices
