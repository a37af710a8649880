// SPDX-License-Identifier: Apache-2.0
// Story lines: what a run's events and faults say in words, before they are laid out.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/history/causes.h"
#include "harness/reports/names.h"
#include "harness/reports/story.h"

namespace harness::reports {

/// How much a line matters to the fault that is reported. Minor are other objects' lives, and all
/// that ops did in which nothing began, ended or was used that it is about.
enum class Weight : std::uint8_t { noise, minor, light, op, concerned, fault };

inline constexpr std::uint16_t kNoTask = 0xffff;

/// The fault that the telling is about, or null if its run has none.
const Fault* told_fault(const Telling& telling);

/// The fault that ended the run, or null: a fatal one that is not the caller's.
const Fault* ending_fault(const Telling& telling);

/// One thing that is reported: an event or a fault, the other is null.
struct Told {
  const Event* event = nullptr;
  const Fault* fault = nullptr;
};

struct Line {
  std::uint64_t turn;
  std::uint16_t task;
  Weight weight;
  std::string text;
  std::uint32_t count = 1;  ///< Equal neighbours are one line.
  bool is_end = false;      ///< The told fault, or the one that ended the run.
};

/// Ownership: borrows the telling.
class Teller {
 public:
  explicit Teller(const Telling& telling);

  /// Up to the fault that is reported, and on to the one that ended the run; to the end where there
  /// is none.
  std::vector<Told> told() const;
  /// The same in words, a line each; how many calls of a task's set-up came first is one line.
  std::vector<Line> lines() const;
  /// Tells one event or fault, with its turn, its task and its weight.
  Line line_of(const Event& event) const;
  Line line_of(const Fault& fault) const;
  /// Tells a fault in words: its kind, its object, the death and the use.
  std::string in_words(const Fault& fault) const;
  const Names& names() const { return names_; }
  /// The fault that is reported, or null.
  const Fault* fault() const { return fault_; }
  /// Whether the told fault is about this object, or met it.
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
