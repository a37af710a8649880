// SPDX-License-Identifier: Apache-2.0
// Story lines: a run's events and faults in words, before they are laid out.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/core/history/causes.h"
#include "harness/report/names.h"
#include "harness/report/story.h"

namespace harness::reports {

/// Relevance of a line for the reported fault. Minor: lives of other objects, and events of ops in
/// which no object of the fault began, ended or was used.
enum class Weight : std::uint8_t { noise, minor, light, op, concerned, fault };

inline constexpr std::uint16_t kNoTask = 0xffff;

/// Returns the fault that the story is about, or null if its run has none.
const Fault* reported_fault(const Telling& telling);

/// Returns the fault that ended the run, or null: a fatal one that is not the caller's.
const Fault* ending_fault(const Telling& telling);

/// An event or a fault; the other pointer is null.
struct StoryItem {
  const Event* event = nullptr;
  const Fault* fault = nullptr;
};

struct Line {
  std::uint64_t turn;
  std::uint16_t task;
  Weight weight;
  std::string text;
  std::uint32_t count = 1;  ///< Number of equal consecutive lines that it stands for.
  bool is_end = false;      ///< The reported fault, or the one that ended the run.
};

/// Ownership: borrows the telling.
class Teller {
 public:
  explicit Teller(const Telling& telling);

  /// Returns the events and faults up to the reported fault, and further to the one that ended the
  /// run; all of them if there is no fault.
  std::vector<StoryItem> items() const;
  /// Returns them in words, one line each. The number of calls during a task's set-up is one line.
  std::vector<Line> lines() const;
  /// Returns one event or fault in words, with its turn, its task and its weight.
  Line line_of(const Event& event) const;
  Line line_of(const Fault& fault) const;
  /// Returns a fault in words: its kind, its object, the death and the use.
  std::string in_words(const Fault& fault) const;
  const Names& names() const { return names_; }
  /// Returns the reported fault, or null.
  const Fault* fault() const { return fault_; }
  /// Returns whether the reported fault is about this object, or involves it.
  bool concerned(Name object) const;

 private:
  bool is_set_up(const Event& event) const;
  bool is_callers(const Fault& fault) const;
  Weight weight_of(const Event& event) const;
  bool is_used_in(const Event& event) const;
  std::string words(const Event& event) const;
  std::string arguments(const Event& op) const;
  std::string birth(const Event& event, const std::string& object) const;
  std::string former(const Life& life) const;
  bool is_result(const Event& call, const Event& birth) const;
  void add_result(Line& line, const Event& birth) const;
  std::string death(const Event& event, const std::string& object) const;
  std::string source_line(const Fault& fault) const;
  std::uint16_t task_of(const Fault& fault) const;

  const Telling& telling_;
  Names names_;
  const Fault* fault_;
  Causes causes_;
  std::set<Name> side_slots_;  ///< Ops in which the fault's object began, ended or was used.
};

}  // namespace harness::reports
