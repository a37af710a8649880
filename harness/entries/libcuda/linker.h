// SPDX-License-Identifier: Apache-2.0
// Linker: cuLink*, of modules in PTX. It needs no device: the result is a text, which is loaded as
// any other.
#pragma once

namespace harness::entries {

/// Returns the export of this name, without its version, or null.
void* find_linker(const char* base);

}  // namespace harness::entries
