// SPDX-License-Identifier: Apache-2.0
// Code place: the module and the function that a program counter is in.
//
// Functions that a library does not export are found in its symbol table, if it was not stripped.
#pragma once

#include <cstdint>
#include <string>

namespace harness::instruments {

struct CodePlace {
  std::string module;    ///< The file's name without its folder; empty for code that no file holds.
  std::string function;  ///< The linker's name; empty if nothing names it.
};

/// `code` is an address inside the instruction, or that of the next: pass it less one then.
CodePlace code_place(std::uintptr_t code);

}  // namespace harness::instruments
