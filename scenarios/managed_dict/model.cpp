// How it works. Statements of a script are atomic but for with blocks, whose instances nobody else
// can name; so what a variable holds is known when a statement begins.
#include "scenarios/managed_dict/model.h"

#include <algorithm>

namespace scenarios::managed_dict {

struct Conditions {
  static bool missing(const Model& model, const Statement& statement) {
    return !model.variables_[statement.variable].has(statement.attribute);
  }
  /// The kernel takes numbers: one attribute, of an _Autocast three.
  static bool no_numbers(const Model& model, const Statement& statement) {
    const Model::Instance& instance = model.variables_[statement.variable];
    const Attribute last = instance.of == Class::autocast ? 2 : 0;
    for (Attribute attribute = 0; attribute <= last; ++attribute)
      if (!instance.is_number(attribute)) return true;
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

std::uint32_t Model::Instance::count(Kept kind) const {
  return static_cast<std::uint32_t>(std::count(kept.begin(), kept.end(), kind));
}

void Model::drop(Variable variable) {
  Instance& instance = variables_[variable];
  if (instance.defined && instance.count(Kept::itself) != 0) {
    ++loose_;
    loose_numbers_ += instance.count(Kept::number);
  }
  instance = {};
}

// What __init__ stores.
void Model::make(Variable variable, Class of) {
  drop(variable);
  Instance& instance = variables_[variable];
  instance.defined = true;
  instance.of = of;
  if (of == Class::autocast) {
    instance.kept[0] = instance.kept[1] = Kept::shared;
    instance.kept[2] = Kept::number;
  } else if (of == Class::profile_scope) {
    instance.kept[0] = Kept::shared;
  }
}

void Model::apply(const Statement& statement) {
  if (expected(statement) != Status::ok) return;
  Instance& instance = variables_[statement.variable];
  switch (statement.op) {
    case Op::new_instance:
      return make(statement.variable, statement.of);
    case Op::del_instance:
      return drop(statement.variable);
    case Op::store_attr:
      instance.kept[statement.attribute] = statement.kind == ValueKind::number     ? Kept::number
                                           : statement.kind == ValueKind::instance ? Kept::itself
                                                                                   : Kept::shared;
      return;
    case Op::delete_attr:
      instance.kept[statement.attribute] = Kept::nothing;
      return;
    case Op::replace_dict:
    case Op::delete_dict:
      instance.kept.fill(Kept::nothing);
      return;
    case Op::set_class:
      instance.of = statement.of;
      return;
    case Op::set_type_attr:
      type_numbers_ |= 1U << harness::raw(statement.of);
      return;
    case Op::subclass:
      subclassed_[harness::raw(statement.of)] = true;
      return;
    case Op::collect:
      loose_ = loose_numbers_ = 0;
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

// vars() keeps one dict, which may keep what it was of, which may have another dict by now.
Bounds Model::bounds(std::uint32_t blocks) const {
  constexpr std::uint32_t kHeldNumbers = 12;
  constexpr std::uint32_t kTypes = 2 * targets::managed_dict::kClassCountOfPath;
  constexpr std::uint32_t kPerBlock = 3;
  std::uint32_t objects = loose_ + 1 + kPerBlock * blocks;
  std::uint32_t numbers = loose_numbers_ + kHeldNumbers + 1 + 2 * kPerBlock * blocks;
  for (const Instance& instance : variables_) {
    objects += instance.defined;
    numbers += instance.count(Kept::number);
  }
  if (type_numbers_ != 0) numbers += kTypes;
  return {objects, objects + 1, objects + 1, objects + 1, numbers, noise_ + 2 * blocks};
}

}  // namespace scenarios::managed_dict
