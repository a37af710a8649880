// SPDX-License-Identifier: Apache-2.0
// CUDA tool: a program of NVIDIA's toolkit, where this machine has one.
#pragma once

#include <string>

namespace harness {

/// Returns the path of a toolkit's program, "nvcc" say; "" where there is none. Looked for by
/// CUDA_HOME, CUDA_PATH, PATH, in /usr/local/cuda, if this was built with, and in wheels beside the
/// libraries of this process.
std::string find_cuda_tool(const std::string& name);

}  // namespace harness
