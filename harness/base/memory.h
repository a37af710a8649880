// SPDX-License-Identifier: Apache-2.0
// Out of memory: a limit of the process, not an error of the harness.
#pragma once

#include <new>

namespace harness {

/// Fails like operator new: calls the program's handler, else throws std::bad_alloc. For memory
/// from mmap.
[[noreturn]] inline void out_of_memory() {
  if (const std::new_handler handler = std::get_new_handler(); handler != nullptr) handler();
  throw std::bad_alloc();
}

}  // namespace harness
