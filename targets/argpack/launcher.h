// SPDX-License-Identifier: Apache-2.0
// Launcher: launch_kernel() for each family of backends. Both follow every bound pointer; README.md
// describes the order.
#pragma once

#include "targets/argpack/context.h"
#include "targets/argpack/core.h"

namespace targets::argpack {

/// CPU, CUDA, AMDGPU. With `returns`, the copy of the result to the context is in flight on return.
Status launch_llvm(Core& core, Program& program, const CompiledKernel& compiled,
                   LaunchContext& context, bool returns);

/// gfx: records the launch in the command list; submits it if necessary.
Status launch_gfx(Core& core, Program& program, const CompiledKernel& compiled,
                  LaunchContext& context, bool returns);

/// Reports a use of a context's buffer by the host: a use-after-free if an earlier launch freed it.
void use_buffer(Core& core, harness::BirthId buffer);

/// Returns the site at which a launcher follows the pack of a level.
inline harness::Label pack_site(std::uint32_t level) {
  return level == 0 ? kLaunchPack : kLaunchNestedPack;
}

/// Returns how many bytes of a ResultBlock this launch fills.
std::size_t result_bytes(const LaunchContext& context);

/// Returns the parameters that are passed to the kernel by value.
KernelParameters kernel_parameters(const Core& core, const LaunchContext& context,
                                   CUdeviceptr arguments, CUdeviceptr results);

Status submit(Core& core, KernelParameters parameters);

}  // namespace targets::argpack
