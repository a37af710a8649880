// SPDX-License-Identifier: Apache-2.0
// Memory that the world does not give: a limit of the process, not a mistake of ours.
#pragma once

#include <new>

namespace harness {

/// Ends as operator new does: with the program's handler, else with std::bad_alloc. For what comes
/// from mmap.
[[noreturn]] inline void out_of_memory() {
  if (const std::new_handler handler = std::get_new_handler(); handler != nullptr) handler();
  throw std::bad_alloc();
}

}  // namespace harness
