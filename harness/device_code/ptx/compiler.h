// SPDX-License-Identifier: Apache-2.0
// Compiler: compiles C++ to a shared object, with a clang of this machine in a separate process.
#pragma once

#include <string>

#include "harness/base/files/content_cache.h"

namespace harness::ptx {

/// The reason why a module cannot be run, and a message of one line.
struct Refused {
  enum class Why { malformed, too_large, no_compiler, compiler_failed };
  Why why;
  std::string words;
};

/// Threads: any number, in any number of processes.
class Compiler {
 public:
  /// Looks for a compiler (find_clang()). Errors: Refused.
  Compiler();

  /// Returns a shared object for the text, compiled now or taken from the cache. Errors: Refused.
  std::string compile(const std::string& text) const;
  /// Compiles even if the cache has a file, because that was removed or is invalid. Errors:
  /// Refused.
  std::string compile_anew(const std::string& text) const;

 private:
  std::string file_for(const std::string& text) const;

  std::string program_;   ///< Path of the compiler.
  std::string identity_;  ///< Differs if the compiler changes.
  ContentCache cache_;
};

}  // namespace harness::ptx
