// SPDX-License-Identifier: Apache-2.0
// Native place: the call stack of machine code.
#pragma once

#include <cstdint>
#include <string>

#include "harness/client/report.h"

namespace harness::entries {

/// Returns the functions that the calling thread is in, but for our own, the innermost first. Lines
/// are not known here: a frame has its module and the offset in it. `interrupted` is the
/// instruction that a signal came to, where we are in its handler; else 0.
client::Place native_place(std::uintptr_t interrupted = 0);

/// Puts the frame of a kernel, which was at this program counter, in front of a place.
void add_kernel_frame(client::Place& place, std::uintptr_t code, const std::string& kernel);

}  // namespace harness::entries
