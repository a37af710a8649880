// SPDX-License-Identifier: Apache-2.0
// How it works. Statements of a script are atomic, except with blocks, whose instances no other
// statement can name; so the content of a variable is known when a statement begins. A row of
// ops.def names the effect of its statement, which is a function of this file.
#include "scenarios/managed_dict/model/update.h"

#include "scenarios/managed_dict/model/refuse.h"

namespace scenarios::managed_dict {

// ---- facts --------------------------------------------------------------------------------------

// From 3.13 on the instance keeps the values, too.
void Update::dict_published(Address object, Address dict) {
  reached_.reach(Window::dict_published);
  Instance* instance = state_.instances.find(object);
  if (instance == nullptr) return;
  instance->dict = dict;
  if (!state_.is_inline()) instance->values = 0;
}

void Update::dict_replaced(Address object, Address dict) {
  if (Instance* instance = state_.instances.find(object)) instance->dict = dict;
}

void Update::instance_emptied(Address object) {
  if (Instance* instance = state_.instances.find(object)) instance->values = instance->dict = 0;
}

void Update::attribute_set(const targets::managed_dict::Assignment& assignment) {
  if (Instance* instance = state_.instances.find(assignment.object))
    instance->attributes.set(assignment.attribute, {assignment.value, assignment.number});
}

void Update::attribute_erased(Address object, Attribute attribute) {
  if (Instance* instance = state_.instances.find(object)) instance->attributes.erase(attribute);
}

void Update::attributes_cleared(Address object) {
  if (Instance* instance = state_.instances.find(object)) instance->attributes.clear();
}

// ---- the result of vars() -----------------------------------------------------------------------

namespace {

Object& object_of(State& state, const Statement& statement) {
  return state.variables[statement.variable];
}

/// Called before the last result of vars() loses its instance.
void part_from_held(State& state, Variable variable) {
  Held& held = state.held;
  if (held.of != variable) return;
  held.parted = state.variables[variable];
  held.parted.form.has_values &= !state.is_inline();
  // An instance that refers to itself dies when it is collected, and takes its values along.
  if (held.parted.count(Kept::itself) != 0) {
    held.parted.form.known = false;
    held.was_of = variable;
  }
  held.of = Held::kNobody;
}

/// Called before vars() returns another dict. While the former one keeps a cycle, the collector
/// skips that; afterwards it is garbage again.
void let_held_go(State& state) {
  Held& held = state.held;
  if (held.cycle == Held::Cycle::passed_by) {
    state.garbage.objects += 1 + std::max(held.guards, held.parted.count(Kept::guard));
    state.garbage.numbers += held.parted.count(Kept::number);
    ++state.garbage.dicts;
  }
  held.cycle = Held::Cycle::none;
  held.was_of = Held::kNobody;
  held.guards = 0;
}

// ---- the effects of statements ------------------------------------------------------------------

void none(State&, const Statement&) {}

void drop(State& state, const Statement& statement) {
  const Variable variable = statement.variable;
  const bool was_held = state.held.of == variable;
  part_from_held(state, variable);
  Object& object = state.variables[variable];
  if (object.form.defined && object.count(Kept::itself) != 0) {
    if (was_held) state.held.cycle = Held::Cycle::loose;
    state.garbage.objects += 1 + object.count(Kept::guard);
    state.garbage.numbers += object.count(Kept::number);
    state.garbage.dicts += object.form.has_dict;
  }
  if (state.held.was_of == variable) {
    state.held.guards = object.count(Kept::guard);
    state.held.was_of = Held::kNobody;
  }
  object.form = {};
  object.contents.clear();
}

// Applies the stores of __init__.
void make(State& state, const Statement& statement) {
  drop(state, statement);
  auto& [form, contents] = object_of(state, statement);
  form.defined = form.has_values = form.has_new_name = true;
  form.of = statement.of;
  if (statement.of == Class::autocast) {
    contents.set(0, {Kept::boolean, 0});
    contents.set(1, {Kept::shared, 0});
    contents.set(2, {Kept::number, 0});
  } else if (statement.of == Class::profile_scope) {
    contents.set(0, {Kept::shared, 0});
  }
}

void store(State& state, const Statement& statement) {
  constexpr std::array<Kept, 6> kKept{Kept::number, Kept::boolean, Kept::shared,
                                      Kept::itself, Kept::guard,   Kept::guard};
  auto& [form, contents] = object_of(state, statement);
  form.has_new_name = contents.find(statement.attribute) == nullptr;
  if (!form.has_values) form.has_dict = true;
  contents.set(statement.attribute, {kKept[harness::raw(statement.kind)], 0});
}

void erase(State& state, const Statement& statement) {
  object_of(state, statement).contents.erase(statement.attribute);
}

void hold_dict(State& state, const Statement& statement) {
  let_held_go(state);
  object_of(state, statement).form.has_dict = state.held.exists = true;
  state.held.of = statement.variable;
}

void clear_dict(State& state, const Statement& statement, bool has_dict) {
  part_from_held(state, statement.variable);
  auto& [form, contents] = object_of(state, statement);
  contents.clear();
  form.has_dict = has_dict;
  form.has_values = false;
}
void new_dict(State& state, const Statement& statement) { clear_dict(state, statement, true); }
void no_dict(State& state, const Statement& statement) { clear_dict(state, statement, false); }

void change_class(State& state, const Statement& statement) {
  Object::Form& form = object_of(state, statement).form;
  form.of = statement.of;
  form.has_dict = true;
  if (state.is_inline()) form.has_values = false;
}

void store_to_type(State& state, const Statement&) { state.types_have_numbers = true; }
void derive(State& state, const Statement& statement) {
  state.subclassed[harness::raw(statement.of)] = true;
}

void free_garbage(State& state, const Statement&) {
  state.garbage = {};
  if (state.held.cycle != Held::Cycle::none) state.held.cycle = Held::Cycle::passed_by;
}

void add_noise(State& state, const Statement&) { ++state.noise_count; }
void remove_noise(State& state, const Statement&) { --state.noise_count; }

constexpr auto kEffects = std::to_array<void (*)(State&, const Statement&)>({
#define OP(name, applies, call, arguments, effect) effect,
#include "scenarios/managed_dict/ops.def"
});

}  // namespace

void apply(State& state, const Statement& statement) {
  Object::Form& form = object_of(state, statement).form;
  // A deletion first makes the dict copy the values into a table, even if there is no such name.
  if (statement.op == Op::delete_attr && form.has_dict) form.has_values = false;
  if (expected_status(state, statement) != Status::ok) return;
  form.has_new_name = false;
  kEffects[harness::raw(statement.op)](state, statement);
}

void apply_failed(State& state, const Statement& statement) {
  object_of(state, statement).form.known = false;
}

void apply_overflow(Object& object) {
  object.form.has_dict = true;
  object.form.has_values = false;
}

}  // namespace scenarios::managed_dict
