// SPDX-License-Identifier: Apache-2.0
// Native place: the call stack of machine code.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/client/border/report.h"

namespace harness::entries {

/// Returns the call stack of the calling thread without our functions, the innermost first. Lines
/// are not known here: a frame has its module and the offset in it. `interrupted`: in a signal
/// handler, the interrupted instruction; else 0.
client::Place native_place(std::uintptr_t interrupted = 0);

/// Returns the call stack with these return addresses, the innermost first.
client::Place place_of(std::span<const std::uintptr_t> codes);

/// Inserts the frame of a kernel, with this program counter, in front of a place.
void add_kernel_frame(client::Place& place, std::uintptr_t code, const std::string& kernel);

}  // namespace harness::entries
