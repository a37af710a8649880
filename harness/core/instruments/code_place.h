// SPDX-License-Identifier: Apache-2.0
// Code place: the module and the function of a program counter.
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

/// Returns the place of an address inside an instruction. For a return address, pass it less one.
CodePlace code_place(std::uintptr_t code);

}  // namespace harness::instruments
