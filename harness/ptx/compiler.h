// SPDX-License-Identifier: Apache-2.0
// Compiler: C++ as a shared object, by a clang of this machine in a separate process.
#pragma once

#include <string>

#include "harness/files/content_cache.h"

namespace harness::ptx {

/// The reason that a module cannot be run, in a line.
struct Refused {
  enum class Why { malformed, too_large, no_compiler, compiler_failed };
  Why why;
  std::string words;
};

/// Threads: any number, and of any number of processes.
class Compiler {
 public:
  /// Looks for a compiler (find_clang()). Errors: Refused.
  Compiler();

  /// Returns a shared object for the text, compiled now or before. Errors: Refused.
  std::string compile(const std::string& text) const;
  /// Compiles although there is one: that file is gone again, or is none. Errors: Refused.
  std::string compile_anew(const std::string& text) const;

 private:
  std::string file_for(const std::string& text) const;

  std::string program_;   ///< Its path.
  std::string identity_;  ///< Differs when another compiler is there.
  ContentCache cache_;
};

}  // namespace harness::ptx
