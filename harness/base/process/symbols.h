// SPDX-License-Identifier: Apache-2.0
// Symbols: source locations of addresses in this program's code.
//
// Errors: std::runtime_error with one line if there is no llvm-symbolizer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

struct CodePlace {
  std::string function;  ///< Qualified, without parameters; "" = not known.
  std::string file;      ///< From the root of the tree: "targets/argpack/launch.cpp".
  std::int64_t line = 0;
};

/// Returns the qualified name in a function's demangled signature, without template arguments:
/// "void a::F<int>::g<b>(int) const" -> "a::F::g".
std::string name_in(std::string_view signature);

/// Returns the place of each address, in the same order. For inlined code, this is the place in the
/// innermost function. An empty place means unknown.
std::vector<CodePlace> places_of(std::span<const std::uintptr_t> codes);

}  // namespace harness
