// SPDX-License-Identifier: Apache-2.0
// CUDA tool: a program of NVIDIA's toolkit, if this machine has one.
#pragma once

#include <string>

namespace harness {

/// Returns the path of a toolkit program, such as "nvcc"; "" if there is none. Searches CUDA_HOME,
/// CUDA_PATH, PATH, /usr/local/cuda, the toolkit of this build, and wheels next to the libraries of
/// this process.
std::string find_cuda_tool(const std::string& name);

}  // namespace harness
