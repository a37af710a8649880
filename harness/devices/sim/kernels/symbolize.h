// SPDX-License-Identifier: Apache-2.0
// Symbolize: program counter -> "kernel.cu:37 function", on demand only. Evidence for a story,
// never identity.
#pragma once

#include <cstdint>
#include <string>

namespace harness::devices {

/// Returns the source line of the access whose callback returns to `code`, or of the instruction
/// before `code`. Empty if there is no symbolizer (llvm-symbolizer-19, llvm-symbolizer) or no line.
/// Slow, because it starts a process.
std::string symbolize(std::uintptr_t code);

}  // namespace harness::devices
