// SPDX-License-Identifier: Apache-2.0
// Kernel reference: the scenario's own definition of the workload's kernel.
#pragma once

#include <cstdint>

namespace scenarios::managed_dict {

/// Arguments of autocast_step, from the attributes of the context managers.
struct KernelArguments {
  std::int32_t enabled = 1;
  std::int32_t dtype = 3;
  std::int32_t scale = 1;
};

/// Returns a thread's input, and its result.
constexpr std::int32_t kernel_input(std::uint32_t thread) {
  return static_cast<std::int32_t>(100 + thread);
}
constexpr std::int32_t kernel_result(const KernelArguments& arguments, std::uint32_t thread) {
  if (arguments.enabled == 0) return kernel_input(thread);
  const std::uint32_t product = static_cast<std::uint32_t>(kernel_input(thread)) *
                                static_cast<std::uint32_t>(arguments.scale);
  return static_cast<std::int32_t>(product) >> (arguments.dtype & 31);
}

}  // namespace scenarios::managed_dict
