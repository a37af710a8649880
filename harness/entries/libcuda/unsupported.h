// SPDX-License-Identifier: Apache-2.0
// Entry points that are exported and not simulated: each returns CUDA_ERROR_NOT_SUPPORTED.
#pragma once

namespace harness::entries {

/// Finds one by the name that cuGetProcAddress is given, without its version. Null: there is none.
/// Threads: any. Calls are counted, and named on stderr when the process ends.
void* find_unsupported(const char* base);

/// Returns whether the program has asked for an undocumented table. Threads: any.
bool is_table_wanted();

}  // namespace harness::entries
