// SPDX-License-Identifier: Apache-2.0
// Model: the content of the script's variables by the rules of Python: attributes, classes, and
// what is still reachable. Only the scenario updates it, from its own requests. The path's results,
// and the number of its objects, are compared with it.
#pragma once

#include <span>
#include <string_view>

#include "scenarios/managed_dict/contents.h"

namespace scenarios::managed_dict {

using targets::managed_dict::Attribute;
using targets::managed_dict::Class;
using targets::managed_dict::Status;
using targets::managed_dict::ValueKind;
using targets::managed_dict::Variable;

/// One statement, with the arguments that matter here.
struct Statement {
  Op op;
  Variable variable = 0;
  Attribute attribute = 0;
  Class of = Class::no_grad;
  ValueKind kind = ValueKind::number;
};

/// Maximum number of live objects of each type while no statement runs.
struct Bounds {
  std::uint32_t instances;
  std::uint32_t values;
  std::uint32_t dicts;
  std::uint32_t tables;
  std::uint32_t numbers;
  std::uint32_t noise;
};

/// Ownership: owned by the script. Copyable.
class Model {
 public:
  bool is_defined(Variable variable) const { return variables_[variable].defined; }
  std::uint32_t noise_count() const { return noise_; }

  /// Returns the required result of the statement: ok, or a documented status.
  Status expected(const Statement& statement) const;
  /// Applies an executed statement.
  void apply(const Statement& statement);

  /// Returns the bounds while other tasks run `blocks` with blocks. `asked`: others request dicts.
  Bounds bounds(std::uint32_t blocks, bool asked) const;

  struct Instance {
    bool defined = false;
    Class of = Class::no_grad;
    bool has_dict = false;
    bool has_values = false;    ///< Its attributes are in values: its own, or its dict's.
    bool is_form_known = true;  ///< False if a statement failed half way.
    bool has_new_name = false;  ///< The last statement stored to a new attribute.
  };
  const Instance& instance(Variable variable) const { return variables_[variable]; }
  Contents& contents(Variable variable) { return contents_[variable]; }
  /// Returns the content of the last result of vars(), or null if there is none.
  Contents* held();
  bool held_has_values() const {
    return held_of_ != kNobody ? variables_[held_of_].has_values : held_has_values_;
  }
  bool is_held_form_known() const {
    return held_of_ != kNobody ? variables_[held_of_].is_form_known : is_held_form_known_;
  }
  /// Returns whether values are part of their instance and die with it.
  bool is_inline() const { return layout_ == targets::managed_dict::Version::cpython313; }
  void set_layout(targets::managed_dict::Version layout) { layout_ = layout; }
  /// There was no memory, so it is unknown how far the statement got.
  void failed(const Statement& statement) { variables_[statement.variable].is_form_known = false; }
  /// There was no room for a new name in the shared keys.
  void overflowed(Variable variable);

 private:
  friend struct Conditions;
  void drop(Variable variable);
  void make(Variable variable, Class of);

  /// Called before the last result of vars() loses its instance.
  void part_from_held(Variable variable);
  /// Called before vars() returns another dict.
  void let_held_go();
  bool has(const Statement& statement) const {
    return contents_[statement.variable].find(statement.attribute) != nullptr;
  }
  void store(const Statement& statement);

  static constexpr Variable kNobody = targets::managed_dict::kVariableCount;
  std::array<Instance, targets::managed_dict::kVariableCount> variables_{};
  std::array<Contents, targets::managed_dict::kVariableCount> contents_;
  targets::managed_dict::Version layout_{};
  bool holds_ = false;
  Variable held_of_ = kNobody;      ///< Variable of the last result of vars(), if still current.
  Variable held_was_of_ = kNobody;  ///< Variable whose instance it keeps by an attribute.
  std::uint32_t held_guards_ = 0;   ///< Guards that this instance had when it was dropped.
  Contents held_;                   ///< Contents after that.
  /// Whether that dict is in a cycle with its instance, which counts as garbage.
  enum class HeldCycle : std::uint8_t { none, loose, passed_by };
  HeldCycle cycle_ = HeldCycle::none;
  bool held_has_values_ = false;
  bool is_held_form_known_ = true;
  std::array<bool, targets::managed_dict::kClassCountOfPath> subclassed_{};
  std::uint32_t noise_ = 0;
  std::uint32_t loose_ = 0;          ///< Dropped objects that only the collector can free.
  std::uint32_t loose_numbers_ = 0;  ///< Numbers that they keep.
  std::uint32_t loose_dicts_ = 0;
  std::uint32_t type_numbers_ = 0;  ///< Classes with a number as their attribute, one bit each.
};

/// A documented status. Any other status than ok is a refusal.
struct Refusal {
  Op op;
  Status answer;
  bool (*when)(const Model& model, const Statement& statement);
  std::string_view why;
};
std::span<const Refusal> refusals();

}  // namespace scenarios::managed_dict
