// Compiler: C++ as a shared object, by a clang of this machine in a process of its own.
#pragma once

#include <string>

namespace harness::ptx {

/// The reason that a module cannot be run, in a line.
struct Refused {
  enum class Why { malformed, no_compiler, compiler_failed };
  Why why;
  std::string words;
};

/// Ownership: its folder's files are everybody's who has the same user. Threads: any number, and of
/// any number of processes: a file appears whole or not at all.
class Compiler {
 public:
  /// Looks for a compiler: AFTERLIFE_CLANG, clang++-19, clang++. Errors: Refused.
  Compiler();

  /// Returns a shared object for the text, compiled now or before. Errors: Refused.
  std::string compile(const std::string& text) const;
  /// Compiles although there is one: that file is gone again, or is none. Errors: Refused.
  std::string compile_anew(const std::string& text) const;

  /// Returns where shared objects are kept: AFTERLIFE_PTX_CACHE, else a folder of the user's cache.
  const std::string& folder() const { return folder_; }

  /// The folder is held to this many files and bytes; those that were not used for longest go.
  static constexpr std::size_t kFileLimit = 512;
  static constexpr std::size_t kByteLimit = std::size_t{256} << 20;

 private:
  std::string file_for(const std::string& text) const;

  std::string program_;   ///< Its path.
  std::string identity_;  ///< Differs when another compiler is there.
  std::string folder_;
};

}  // namespace harness::ptx
