// SPDX-License-Identifier: Apache-2.0
// Entry points that are exported but not simulated: each returns CUDA_ERROR_NOT_SUPPORTED.
#pragma once

namespace harness::entries {

/// Returns the function that cuGetProcAddress is asked for, by its name without version, or null.
/// Threads: any. Calls are counted, and listed on stderr when the process ends.
void* find_unsupported(const char* base);

/// Returns whether the program has asked for an undocumented table. Threads: any.
bool is_table_wanted();

}  // namespace harness::entries
