// SPDX-License-Identifier: Apache-2.0
// nvcc names: the names of the temporary files that nvcc writes, which debug information names.
#pragma once

#include <string>
#include <string_view>

namespace harness::client {

/// Removes the part of the name of a temporary file of nvcc that differs from build to build.
std::string_view without_random(std::string_view name);

/// Returns the name of the source "pool.cu", without a folder, if the file is what nvcc writes for
/// it: "/tmp/tmpxft_000012ab_00000000-6_pool.cudafe1.cpp"; else "". Functions in class bodies have
/// such a file, with the line in the source.
std::string source_name(std::string_view file);

}  // namespace harness::client
