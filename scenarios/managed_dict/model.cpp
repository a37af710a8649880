// SPDX-License-Identifier: Apache-2.0
// How it works. Statements of a script are atomic, except with blocks, whose instances no other
// statement can name; so the content of a variable is known when a statement begins.
#include "scenarios/managed_dict/model.h"

#include <algorithm>

namespace scenarios::managed_dict {

struct Conditions {
  static bool missing(const Model& model, const Statement& statement) {
    return !model.has(statement);
  }
  /// The kernel takes numbers: one attribute, or three for an _Autocast.
  static bool no_numbers(const Model& model, const Statement& statement) {
    const Model::Instance& instance = model.variables_[statement.variable];
    const Attribute last = instance.of == Class::autocast ? 2 : 0;
    for (Attribute attribute = 0; attribute <= last; ++attribute) {
      const Contents::Entry* entry = model.contents_[statement.variable].find(attribute);
      if (entry == nullptr || entry->kept == Kept::itself || entry->kept == Kept::guard)
        return true;
    }
    return false;
  }
  static bool subclassed(const Model& model, const Statement& statement) {
    return model.subclassed_[harness::raw(statement.of)];
  }
  static bool no_noise(const Model& model, const Statement&) { return model.noise_ == 0; }
  static bool undefined(const Model& model, const Statement& statement) {
    return !model.variables_[statement.variable].defined;
  }
};

namespace {

constexpr std::array<Refusal, 6> kRefusals{{
    {Op::del_instance, Status::name_error, Conditions::undefined, "the name is bound to nothing"},
    {Op::load_attr, Status::attribute_error, Conditions::missing,
     "the object has no such attribute"},
    {Op::delete_attr, Status::attribute_error, Conditions::missing, "the same"},
    {Op::launch, Status::type_error, Conditions::no_numbers, "the kernel takes numbers"},
    {Op::subclass, Status::type_error, Conditions::subclassed, "managed_dict.h: once per class"},
    {Op::drop_noise, Status::name_error, Conditions::no_noise, "there is none"},
}};

}  // namespace

std::span<const Refusal> refusals() { return kRefusals; }

Status Model::expected(const Statement& statement) const {
  const auto row = std::find_if(kRefusals.begin(), kRefusals.end(), [&](const Refusal& refusal) {
    return refusal.op == statement.op && refusal.when(*this, statement);
  });
  return row != kRefusals.end() ? row->answer : Status::ok;
}

// ---- statements ---------------------------------------------------------------------------------

Contents* Model::held() {
  if (!holds_) return nullptr;
  return held_of_ != kNobody ? &contents_[held_of_] : &held_;
}

void Model::part_from_held(Variable variable) {
  if (held_of_ != variable) return;
  held_ = contents_[variable];
  held_has_values_ = variables_[variable].has_values && !is_inline();
  // An instance that refers to itself dies when it is collected, and takes its values along.
  is_held_form_known_ = variables_[variable].is_form_known && held_.count(Kept::itself) == 0;
  if (held_.count(Kept::itself) != 0) held_was_of_ = variable;
  held_of_ = kNobody;
}

// While vars()'s dict keeps a cycle, the collector skips it; afterwards it is garbage again.
void Model::let_held_go() {
  if (cycle_ == HeldCycle::passed_by) {
    loose_ += 1 + std::max(held_guards_, held_.count(Kept::guard));
    loose_numbers_ += held_.count(Kept::number);
    ++loose_dicts_;
  }
  cycle_ = HeldCycle::none;
  held_was_of_ = kNobody;
  held_guards_ = 0;
}

void Model::drop(Variable variable) {
  const bool was_held = held_of_ == variable;
  part_from_held(variable);
  const Contents& contents = contents_[variable];
  if (variables_[variable].defined && contents.count(Kept::itself) != 0) {
    if (was_held) cycle_ = HeldCycle::loose;
    loose_ += 1 + contents.count(Kept::guard);
    loose_numbers_ += contents.count(Kept::number);
    loose_dicts_ += variables_[variable].has_dict;
  }
  if (held_was_of_ == variable) {
    held_guards_ = contents.count(Kept::guard);
    held_was_of_ = kNobody;
  }
  variables_[variable] = {};
  contents_[variable].clear();
}

// Applies the stores of __init__.
void Model::make(Variable variable, Class of) {
  drop(variable);
  Instance& instance = variables_[variable];
  instance.defined = instance.has_values = instance.has_new_name = true;
  instance.of = of;
  Contents& contents = contents_[variable];
  if (of == Class::autocast) {
    contents.set(0, Kept::boolean);
    contents.set(1, Kept::shared);
    contents.set(2, Kept::number);
  } else if (of == Class::profile_scope) {
    contents.set(0, Kept::shared);
  }
}

void Model::store(const Statement& statement) {
  constexpr std::array<Kept, 6> kKept{Kept::number, Kept::boolean, Kept::shared,
                                      Kept::itself, Kept::guard,   Kept::guard};
  Instance& instance = variables_[statement.variable];
  instance.has_new_name = !has(statement);
  if (!instance.has_values) instance.has_dict = true;
  contents_[statement.variable].set(statement.attribute, kKept[harness::raw(statement.kind)]);
}

void Model::overflowed(Variable variable) {
  variables_[variable].has_dict = true;
  variables_[variable].has_values = false;
}

void Model::apply(const Statement& statement) {
  Instance& instance = variables_[statement.variable];
  // A deletion first makes the dict copy the values into a table.
  if (statement.op == Op::delete_attr && instance.has_dict) instance.has_values = false;
  if (expected(statement) != Status::ok) return;
  instance.has_new_name = false;
  switch (statement.op) {
    case Op::new_instance:
      return make(statement.variable, statement.of);
    case Op::del_instance:
      return drop(statement.variable);
    case Op::store_attr:
      return store(statement);
    case Op::delete_attr:
      return contents_[statement.variable].erase(statement.attribute);
    case Op::access_dict:
      let_held_go();
      instance.has_dict = holds_ = true;
      held_of_ = statement.variable;
      return;
    case Op::replace_dict:
    case Op::delete_dict:
      part_from_held(statement.variable);
      contents_[statement.variable].clear();
      instance.has_dict = statement.op == Op::replace_dict;
      instance.has_values = false;
      return;
    case Op::set_class:
      instance.of = statement.of;
      instance.has_dict = true;
      if (is_inline()) instance.has_values = false;
      return;
    case Op::set_type_attr:
      type_numbers_ |= 1U << harness::raw(statement.of);
      return;
    case Op::subclass:
      subclassed_[harness::raw(statement.of)] = true;
      return;
    case Op::collect:
      loose_ = loose_numbers_ = loose_dicts_ = 0;
      if (cycle_ != HeldCycle::none) cycle_ = HeldCycle::passed_by;
      return;
    case Op::hold_noise:
      ++noise_;
      return;
    case Op::drop_noise:
      --noise_;
      return;
    default:
      return;
  }
}

// ---- bounds -------------------------------------------------------------------------------------

// vars() keeps one dict, which may keep its instance, even if that has another dict by now.
Bounds Model::bounds(std::uint32_t blocks, bool asked) const {
  constexpr std::uint32_t kHeldNumbers = 12;
  constexpr std::uint32_t kTypes = 2 * targets::managed_dict::kClassCountOfPath;
  constexpr std::uint32_t kPerBlock = 3;
  std::uint32_t objects = loose_ + 1 + kPerBlock * blocks;
  std::uint32_t numbers = loose_numbers_ + kHeldNumbers + 1 + 2 * kPerBlock * blocks;
  std::uint32_t dicts = loose_dicts_ + 2;
  for (Variable variable = 0; variable < variables_.size(); ++variable) {
    const Instance& instance = variables_[variable];
    objects += instance.defined + contents_[variable].count(Kept::guard);
    dicts += instance.defined && (instance.has_dict || !instance.is_form_known);
    numbers += contents_[variable].count(Kept::number);
  }
  if (holds_ && held_of_ == kNobody) objects += held_.count(Kept::guard) + held_guards_;
  if (asked) dicts = objects + 1;
  if (type_numbers_ != 0) numbers += kTypes;
  return {objects, objects + 1, dicts, dicts, numbers, noise_ + 2 * blocks};
}

}  // namespace scenarios::managed_dict
