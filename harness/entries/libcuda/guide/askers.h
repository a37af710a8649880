// SPDX-License-Identifier: Apache-2.0
// Askers: the places at which choices of a process are made, with names that do not change when the
// program is edited elsewhere, and in words.
//
// A call is named by its thread, its function, and how many times that thread has called it; a line
// by its file, its number and how many times that thread reached it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/entries/libcuda/python/python.h"
#include "harness/entries/libcuda/turns/baton.h"
#include "harness/label.h"
#include "harness/pick.h"

namespace harness::entries {

/// A place at which a choice is made.
struct Asker {
  enum class Kind { call, line, before_call, process_turn, wait, end };
  Kind kind = Kind::call;
  std::string_view function;  ///< The driver's one that is called.
  std::size_t thread = 0;     ///< The number of a call's thread.
  std::uint32_t nth = 0;      ///< Counted from 1 on.
  const std::string* file = nullptr;
  int line = 0;
  const BatonThread* python = nullptr;  ///< The thread, where it takes turns.
  std::uint64_t order = 0;              ///< A call's number among all calls.
  const char* outer = nullptr;          ///< The runtime's function that calls the driver's.

  /// Returns the function that the program called.
  std::string_view called() const { return outer != nullptr ? outer : function; }
};

/// Threads: for code that has the driver. Lifetime: until the process ends; files and threads that
/// it is informed of live as long.
class Askers {
 public:
  /// Uses this process in names from now on.
  void begin(Name process) { process_ = process; }
  /// Returns the name of the thread of this number, unless another thread started it.
  Name thread(std::size_t number) const;

  /// Each returns the activation of what happens next on the thread: a call,
  Activation call(std::size_t number, Label function, const BatonThread* python);
  /// a line,
  Activation line(const Python::Line& line, const BatonThread* python);
  /// or that another one may continue, where it is: before the line or the call that was named
  /// last.
  Activation turn(const BatonThread& python, Baton::At at, Label next_function);
  /// Returns the activation of what is forced on the thread before its next call of the function.
  Activation before_call(std::size_t number, Label function, const BatonThread* python);
  /// Returns the activation of the turn that the process takes before its next call of the
  /// function.
  Activation turn_of_process(std::size_t number, Label function, const BatonThread* python);
  /// Takes what an activation was caused by.
  void add_parent(Name activation, Name parent) { new_parents_.emplace_back(activation, parent); }

  /// Adds these names, for the functions below.
  void index();
  /// Returns the name of the call or the line that an activation comes from.
  Name origin_of(Name activation) const;
  /// Returns the place of that name, or null.
  const Asker* find(Name activation) const;

 private:
  /// A line, by the thread or the process that reaches it and its name.
  using Line = std::pair<Name, Name>;

  Name caller(std::size_t number, const BatonThread* python) const;
  /// Returns the name of what is before the caller's next call of the function, and which that is.
  std::pair<Name, std::uint32_t> name_before(Name caller, Label function) const;
  Activation native_turn(const BatonThread& thread, Baton::At at);
  static Name name_of_line(const Line& line, std::uint64_t kind, std::uint32_t nth);
  Line line_of(const BatonThread* python, Name line) const;

  Name process_ = 0;
  std::uint64_t call_count_ = 0;
  std::map<std::pair<Name, std::uint64_t>, std::uint32_t> call_counts_;
  std::map<Line, std::uint32_t> line_counts_;
  std::map<Line, std::uint32_t> wait_counts_;
  std::vector<std::pair<Name, Asker>> new_askers_;  ///< Not looked up yet: most never are.
  std::vector<std::pair<Name, Name>> new_parents_;
  std::unordered_map<Name, Asker> askers_;
  std::unordered_map<Name, Name> parents_;  ///< By the name of what they caused.
};

/// Returns it in words: "crash.py:25 of Thread-1".
std::string words_of(const Asker& asker);

}  // namespace harness::entries
