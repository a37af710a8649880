// SPDX-License-Identifier: Apache-2.0
// Framework switches: documented environment variables that make frameworks use the simulated
// driver like a GPU.
#pragma once

#include <string>
#include <vector>

namespace harness::client {

/// Returns "NAME=value" for each variable that the environment does not set, or that is extended:
///
///   TRITON_PTXAS_PATH               Triton uses our ptxas instead of the one in its package
///   JAX_SKIP_CUDA_CONSTRAINTS_CHECK  JAX does not ask NVIDIA's libraries for their versions
///   XLA_PYTHON_CLIENT_PREALLOCATE   JAX allocates on demand, not most of the memory at the start
///   XLA_FLAGS                       XLA selects kernels without timing them: it checks them with
///                                   kernels that exist only as SASS. Put before the user's flags,
///                                   unless these set the same flag or name a file.
///   NVTX_INJECTION64_PATH           NVTX reports the memory of suballocators to our driver
std::vector<std::string> framework_switches(const std::string& library_folder,
                                            const std::string& stand_ins);

}  // namespace harness::client
