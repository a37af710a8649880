// SPDX-License-Identifier: Apache-2.0
// Framework switches: documented environment variables that make frameworks use the simulated
// driver like a GPU.
#pragma once

#include <string>
#include <vector>

namespace harness::client {

/// Returns "NAME=value" for each variable that the environment does not set, or that is extended:
///
///   TRITON_PTXAS_PATH               Triton has its own ptxas, and takes this one
///   JAX_SKIP_CUDA_CONSTRAINTS_CHECK  JAX does not ask NVIDIA's libraries for their versions
///   XLA_PYTHON_CLIENT_PREALLOCATE   JAX allocates as it needs, and not most of the memory at once
///   XLA_FLAGS                       XLA does not time kernels to choose one: what it checks them
///                                   with exists as SASS alone. Put in front of the user's own,
///                                   unless that chooses, or names a file.
///   NVTX_INJECTION64_PATH           NVTX tells our driver of the memory of suballocators
std::vector<std::string> framework_switches(const std::string& library_folder,
                                            const std::string& stand_ins);

}  // namespace harness::client
