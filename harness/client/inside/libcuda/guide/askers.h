// SPDX-License-Identifier: Apache-2.0
// Askers: the places at which the choices of a process are made, in words and with names that do
// not change when other parts of the program are edited.
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

#include "harness/base/label.h"
#include "harness/client/inside/libcuda/python/python.h"
#include "harness/client/inside/libcuda/turns/baton.h"
#include "harness/core/pick/pick.h"

namespace harness::entries {

/// A place at which a choice is made.
struct Asker {
  enum class Kind { call, line, before_call, process_turn, wait, end };
  Kind kind = Kind::call;
  std::string_view function;  ///< The driver function that is called.
  std::size_t thread = 0;     ///< Number of the calling thread.
  std::uint32_t nth = 0;      ///< Counted from 1.
  const std::string* file = nullptr;
  int line = 0;
  const BatonThread* python = nullptr;  ///< The thread, if it takes turns.
  std::uint64_t order = 0;              ///< A call's number among all calls.
  const char* outer = nullptr;          ///< The runtime function that calls the driver; or null.

  /// Returns the function that the program called.
  std::string_view called() const { return outer != nullptr ? outer : function; }
};

/// Threads: requires the driver. Lifetime: until the process ends. Files and threads that are
/// passed to it must live as long.
class Askers {
 public:
  /// Uses this process in names from then on.
  void begin(Name process) { process_ = process; }
  /// Returns the name of the thread with this number; for threads that another thread started, see
  /// BatonThread.
  Name thread(std::size_t number) const;

  /// Returns the activation of the thread's next call.
  Activation call(std::size_t number, Label function, const BatonThread* python);
  /// Returns the activation of the thread's next line.
  Activation line(const Python::Line& line, const BatonThread* python);
  /// Returns the activation of a switch to another thread at the current place: before the line or
  /// the call that was named last.
  Activation turn(const BatonThread& python, Baton::At at, Label next_function);
  /// Returns the activation of the choice whether a time limit of another thread, or of a wait of
  /// this one, passes at the same place.
  Activation time_limit(const BatonThread& thread, Baton::At at, Label next_function);
  /// Returns the activation of a forced choice before the thread's next call of the function.
  Activation before_call(std::size_t number, Label function, const BatonThread* python);
  /// Returns the activation of the turn that the process takes before its next call of the
  /// function.
  Activation turn_of_process(std::size_t number, Label function, const BatonThread* python);
  /// Notes which activation caused another one.
  void add_parent(Name activation, Name parent) { new_parents_.emplace_back(activation, parent); }

  /// Indexes all new names, for the functions below.
  void index();
  /// Returns the name of the call or the line from which an activation originates.
  Name origin_of(Name activation) const;
  /// Returns the place with that name, or null.
  const Asker* find(Name activation) const;

 private:
  /// The name of a thread or process, and the name of a line that it reaches.
  using Line = std::pair<Name, Name>;

  Name caller(std::size_t number, const BatonThread* python) const;
  /// Returns the name of the place before the caller's next call of the function, and that call's
  /// number.
  std::pair<Name, std::uint32_t> name_before(Name caller, Label function) const;
  Activation native_turn(const BatonThread& thread, Baton::At at);
  /// Returns the C library function that the thread calls.
  static Asker native_asker(const BatonThread& thread, Baton::At at);
  static Name name_of_line(const Line& line, std::uint64_t kind, std::uint32_t nth);
  Line line_of(const BatonThread* python, Name line) const;

  Name process_ = 0;
  std::uint64_t call_count_ = 0;
  std::map<std::pair<Name, std::uint64_t>, std::uint32_t> call_counts_;
  std::map<Line, std::uint32_t> line_counts_;
  std::map<Line, std::uint32_t> wait_counts_;
  std::unordered_map<Name, std::uint32_t> limit_counts_;  ///< By the name of a wait.
  std::vector<std::pair<Name, Asker>> new_askers_;  ///< Not indexed yet: most are never looked up.
  std::vector<std::pair<Name, Name>> new_parents_;
  std::unordered_map<Name, Asker> askers_;
  std::unordered_map<Name, Name> parents_;  ///< By the name of the caused activation.
};

/// Returns the place in words: "crash.py:25 of Thread-1".
std::string words_of(const Asker& asker);

}  // namespace harness::entries
