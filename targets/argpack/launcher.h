// SPDX-License-Identifier: Apache-2.0
// Launcher: what launch_kernel() does with what a context holds, per family of backends. Both
// follow every pointer that was bound; which way they go round is in README.md.
#pragma once

#include "targets/argpack/context.h"
#include "targets/argpack/core.h"

namespace targets::argpack {

/// CPU, CUDA, AMDGPU. With `returns`, the result is on its way to the context when this returns.
Status launch_llvm(Core& core, Program& program, const CompiledKernel& compiled,
                   LaunchContext& context, bool returns);

/// gfx: recorded into the command list; submitted when it must be.
Status launch_gfx(Core& core, Program& program, const CompiledKernel& compiled,
                  LaunchContext& context, bool returns);

/// The host uses a buffer of the context's: dies where that is a device's, and freed.
void use_buffer(Core& core, harness::BirthId buffer);

/// Where a launcher follows the pack of a level.
inline harness::Label pack_site(std::uint32_t level) {
  return level == 0 ? kLaunchPack : kLaunchNestedPack;
}

/// How many bytes of a ResultBlock this launch fills.
std::size_t result_bytes(const LaunchContext& context);

/// Returns the parameters that the kernel gets by value.
KernelParameters kernel_parameters(const Core& core, const LaunchContext& context,
                                   CUdeviceptr arguments, CUdeviceptr results);

Status submit(Core& core, KernelParameters parameters);

}  // namespace targets::argpack
