// SPDX-License-Identifier: Apache-2.0
// Linker: cuLink* for modules in PTX. It needs no device, because the result is a text, which is
// loaded like any other.
#pragma once

namespace harness::entries {

/// Returns the exported function with this name (without version), or null.
void* find_linker(const char* base);

}  // namespace harness::entries
