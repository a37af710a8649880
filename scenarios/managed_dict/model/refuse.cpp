// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/model/refuse.h"

namespace scenarios::managed_dict {
namespace {

bool is_undefined(const State& state, const Statement& statement) {
  return !state.variables[statement.variable].form.defined;
}

bool is_missing(const State& state, const Statement& statement) {
  return state.variables[statement.variable].contents.find(statement.attribute) == nullptr;
}

/// The kernel takes numbers: one attribute, or three for an _Autocast.
bool has_no_numbers(const State& state, const Statement& statement) {
  const auto& [form, contents] = state.variables[statement.variable];
  const Attribute last = form.of == Class::autocast ? 2 : 0;
  for (Attribute attribute = 0; attribute <= last; ++attribute) {
    const Promised* value = contents.find(attribute);
    if (value == nullptr || value->kept == Kept::itself || value->kept == Kept::guard) return true;
  }
  return false;
}

/// A class is subclassed once (managed_dict.h).
bool is_subclassed(const State& state, const Statement& statement) {
  return state.subclassed[harness::raw(statement.of)];
}

bool has_no_noise(const State& state, const Statement&) { return state.noise_count == 0; }

/// A documented status.
struct Refusal {
  Op op;
  Status status;
  bool (*when)(const State& state, const Statement& statement);
};

constexpr std::array<Refusal, 6> kRefusals{{
    {Op::del_instance, Status::name_error, is_undefined},
    {Op::load_attr, Status::attribute_error, is_missing},
    {Op::delete_attr, Status::attribute_error, is_missing},
    {Op::launch, Status::type_error, has_no_numbers},
    {Op::subclass, Status::type_error, is_subclassed},
    {Op::drop_noise, Status::name_error, has_no_noise},
}};

}  // namespace

Status expected_status(const State& state, const Statement& statement) {
  for (const Refusal& refusal : kRefusals)
    if (refusal.op == statement.op && refusal.when(state, statement)) return refusal.status;
  return Status::ok;
}

}  // namespace scenarios::managed_dict
