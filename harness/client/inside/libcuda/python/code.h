// SPDX-License-Identifier: Apache-2.0
// Python code: properties of a code object: its file, and where the interpreter checks whether to
// switch threads.
//
// Since 3.10 it checks at the beginning of a function, after a call and at a jump back. At other
// places there are no switches, unless the lock is released.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/client/inside/libcuda/python/api.h"
#include "harness/core/pick/pick.h"

namespace harness::entries {

/// Threads: requires the interpreter's lock. Lifetime: until the process ends, and so does its code
/// object.
class PythonCode {
 public:
  /// Loads the opcodes of this version, for looks_in(). It imports a Python module, so no other
  /// thread may interfere.
  static void prepare();
  /// Returns whether a file belongs to an installed module or to the interpreter.
  static bool comes_installed(std::string_view file);
  /// Returns the properties of the code that a frame runs.
  static PythonCode& of(PythonObject frame);

  PythonCode(PythonOwned code, const std::string& module);

  const std::string& file() const { return file_; }
  const std::string& function() const { return function_; }
  /// Returns whether it belongs to an installed module or to Python, not to the user.
  bool is_library() const { return is_library_; }
  /// Returns whether the interpreter checks for pending work in this line.
  bool looks_in(int line);
  /// Returns the offset of the line's first instruction plus 1, which does not change with comments
  /// and other functions. Returns 0 for an unknown line.
  std::uint32_t offset_of(int line);
  /// Returns a name of the line, made of its module, function and instruction. It is the same in
  /// another folder, and when other functions change.
  Name name_of(int line) { return derive_name(name_, hash_name("line"), offset_of(line)); }

 private:
  struct Line {
    std::uint32_t offset = 0;
    bool looks = false;
  };

  const Line& line_at(int line);
  void find_lines();

  PythonOwned code_;
  std::string file_;
  std::string function_;
  Name name_ = 0;
  bool is_library_ = false;
  bool has_lines_ = false;
  std::map<int, Line> lines_;  ///< Filled in when a line is first looked up.
};

}  // namespace harness::entries
