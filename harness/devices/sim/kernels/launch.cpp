#include "harness/devices/sim/kernels/launch.h"

#include <cstring>

namespace harness::devices {

static void lay_out(Launch& launch, const KernelEntry& kernel) {
  launch.entry = &kernel;
  launch.authority = AuthorityIndex::none;
  launch.blocks_run = 0;
  launch.values.assign(kernel.parameter_bytes, std::byte{0});
  launch.pointers.clear();
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i)
    launch.pointers.push_back(launch.values.data() + kernel.parameters[i].offset);
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
