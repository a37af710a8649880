// Framework switches: documented environment variables by which frameworks do with the simulated
// driver what they do with a GPU.
#pragma once

#include <string>
#include <vector>

namespace harness::client {

/// Returns "NAME=value" for each that the environment here does not set, or has more in than ours:
///
///   TRITON_PTXAS_PATH               Triton has a ptxas of its own, and takes this one
///   JAX_SKIP_CUDA_CONSTRAINTS_CHECK  JAX does not ask NVIDIA's libraries for their versions
///   XLA_PYTHON_CLIENT_PREALLOCATE   JAX allocates as it needs, and not most of the memory at once
///   XLA_FLAGS                       XLA does not time kernels to choose one: what it checks them
///                                   with exists as SASS alone. Put in front of the user's own,
///                                   unless that chooses, or names a file.
///   NVTX_INJECTION64_PATH           NVTX tells our driver of the memory of suballocators
std::vector<std::string> framework_switches(const std::string& library_folder,
                                            const std::string& stand_ins);

}  // namespace harness::client
