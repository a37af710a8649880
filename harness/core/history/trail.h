// SPDX-License-Identifier: Apache-2.0
// Trail: the steps of a run in a form that is comparable with the same run of another build: calls
// with their arguments, choices, events. An address is described by the object that is alive there.
//
// Lifetime: one run, while a Current of it exists. Most runs have none, and only compare a pointer
// with null at a call. Threads: the run's thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/label.h"
#include "harness/core/history/history.h"

namespace harness {

/// Returns a text as a label that outlives all runs. Threads: any.
Label lasting_label(const std::string& text);

class Trail {
 public:
  enum class Kind : std::uint8_t { call, question, event, read, write };

  /// A value of a step. For a call: an argument. For a read or write: the place, then its content.
  struct Value {
    std::uint8_t argument;  ///< Number of the argument, from 1 on.
    std::uint64_t value;
    bool operator==(const Value&) const = default;
  };

  struct Step {
    Kind kind;
    EventKind event = EventKind::note;  ///< The kind of an event.
    Label what;
    Label site;
    Name activation = 0;
    std::vector<Value> values = {};
    bool operator==(const Step&) const = default;
  };

  /// Returns the trail of the current run, or null, as in most runs.
  static Trail* current() { return current_; }

  /// Records the runs of this thread in a trail while it exists.
  class Current {
   public:
    explicit Current(Trail& trail) : previous_(std::exchange(current_, &trail)) {}
    ~Current() { current_ = previous_; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    Trail* previous_;
  };

  /// Requests recording of the code that runs at a step.
  void watch_code_at(std::size_t step) { watched_ = step; }
  /// Code that is running at the watched step.
  struct Code {
    std::uintptr_t call;     ///< The address of a call.
    std::size_t step_count;  ///< Number of equal steps before it.
  };
  /// Returns the code at the watched step, innermost function first.
  const std::vector<Code>& code() const { return code_; }

  /// Appends a step, whose values follow.
  void add(Step step);
  /// Adds a value to the last step.
  void add(std::uint8_t argument, std::uint64_t value) {
    steps_.back().values.push_back({argument, value});
  }
  /// Adds a handle, described by the number of handles seen before it.
  void add_handle(std::uint8_t argument, const void* handle);

  const std::vector<Step>& steps() const { return steps_; }  ///< Steps so far, in order.

 private:
  static constexpr std::size_t kNever = ~std::size_t{0};

  void note_code(Kind kind);

  std::vector<Step> steps_;
  std::size_t watched_ = kNever;
  std::unordered_map<std::uintptr_t, std::size_t> ran_;  ///< Number of earlier steps at each call.
  std::vector<std::uintptr_t> asked_;  ///< Calls in choices since the last step of another kind.
  std::vector<Code> code_;
  std::vector<const void*> handles_;  ///< Handles in the order in which they first appeared.

  static inline constinit thread_local Trail* current_ = nullptr;
};

}  // namespace harness
