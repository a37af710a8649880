// SPDX-License-Identifier: Apache-2.0
// Python code: what is known of a code object: its file, and where the interpreter looks, in it,
// whether another thread is to continue.
//
// From 3.10 on it looks at the beginning of a function, after a call and where it jumps back; in
// between nothing else can continue, unless the lock is let go.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/entries/libcuda/python/api.h"
#include "harness/pick.h"

namespace harness::entries {

/// Threads: code that has the interpreter's lock. Lifetime: until the process ends, and so does its
/// code object.
class PythonCode {
 public:
  /// Has looks_in() know the instructions of this version: a module of Python's is imported, which
  /// no thread may be in the way of.
  static void prepare();
  /// Returns whether a file of code was installed, or is the interpreter's own.
  static bool comes_installed(std::string_view file);
  /// Returns what is known of the code that a frame runs.
  static PythonCode& of(PythonObject frame);

  PythonCode(PythonOwned code, const std::string& module);

  const std::string& file() const { return file_; }
  const std::string& function() const { return function_; }
  /// Was installed, or is Python's own: not where a user's mistakes are.
  bool is_library() const { return is_library_; }
  /// Returns whether the interpreter looks while it runs this line.
  bool looks_in(int line);
  /// Returns the offset of the line's first instruction, from 1 on: comments and the lines of other
  /// functions do not change it. 0 for a line that it does not have.
  std::uint32_t offset_of(int line);
  /// Returns a name of the line that is the same in another folder, and when other functions
  /// change: of its module, its function and its instruction.
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
  std::map<int, Line> lines_;  ///< Those that are known once they were asked for.
};

}  // namespace harness::entries
