// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/judged.h"

namespace scenarios::argpack {

using targets::argpack::Arguments;
using targets::argpack::FinalizerAction;
using targets::argpack::Status;
using targets::argpack::Storage;

// ---- programs ----

Status JudgedPrograms::reset() {
  return witness_.attempt({.op = Op::reset}, [&] { return path_.reset(); });
}
Status JudgedPrograms::synchronize() {
  return witness_.attempt({.op = Op::synchronize}, [&] { return path_.synchronize(); });
}
Status JudgedPrograms::flush() {
  return witness_.attempt({.op = Op::flush}, [&] { return path_.flush(); });
}

// ---- packs ----

Status JudgedPacks::new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                                Variable array) {
  return witness_.attempt(
      {.op = Op::new_argpack, .watches = {{{array}}}, .value = value, .made_depth = depth},
      [&] { return path_.new_argpack(into, depth, value, array); });
}
Status JudgedPacks::set_scalar(Variable pack, std::uint32_t level, std::int32_t value) {
  return witness_.attempt({.op = Op::set_scalar, .watches = {{{pack, level + 1}}}, .value = value},
                          [&] { return path_.set_scalar(pack, level, value); });
}
Status JudgedPacks::replace_nested(Variable pack, std::uint32_t level, std::int32_t value) {
  return witness_.attempt(
      {.op = Op::replace_nested, .watches = {{{pack, level + 1}}}, .value = value},
      [&] { return path_.replace_nested(pack, level, value); });
}
Status JudgedPacks::set_nested(Variable pack, std::uint32_t level, Variable child) {
  return witness_.attempt({.op = Op::set_nested, .watches = {{{pack, level + 1}, {child}}}},
                          [&] { return path_.set_nested(pack, level, child); });
}
Status JudgedPacks::get_nested(Variable into, Variable pack, std::uint32_t level) {
  return witness_.attempt({.op = Op::get_nested, .watches = {{{pack, level + 1}}}},
                          [&] { return path_.get_nested(into, pack, level); });
}

// ---- arrays ----

Status JudgedArrays::new_ndarray(Variable into, std::int32_t value, bool with_gradient) {
  return witness_.attempt({.op = Op::new_ndarray, .value = value},
                          [&] { return path_.new_ndarray(into, value, with_gradient); });
}
Status JudgedArrays::fill(Variable array, std::int32_t value) {
  return witness_.attempt({.op = Op::fill, .watches = {{{array}}}, .value = value},
                          [&] { return path_.fill(array, value); });
}
Status JudgedArrays::set_gradient(Variable array) {
  return witness_.attempt({.op = Op::set_gradient, .watches = {{{array}}}},
                          [&] { return path_.set_gradient(array); });
}
Status JudgedArrays::drop_gradient(Variable array) {
  return witness_.attempt({.op = Op::drop_gradient, .watches = {{{array}}}},
                          [&] { return path_.drop_gradient(array); });
}
Status JudgedArrays::new_external(Variable into, Storage storage, std::int32_t value) {
  return witness_.attempt({.op = Op::new_external, .value = value},
                          [&] { return path_.new_external(into, storage, value); });
}
Status JudgedArrays::resize_external(Variable external) {
  return witness_.attempt({.op = Op::resize_external, .watches = {{{external}}}},
                          [&] { return path_.resize_external(external); });
}
Status JudgedArrays::to_numpy(Variable array) {
  return witness_.attempt({.op = Op::to_numpy, .watches = {{{array}}}},
                          [&] { return path_.to_numpy(array); });
}

// ---- globals ----

Status JudgedGlobals::alias(Variable into, Variable from) {
  return witness_.attempt({.op = Op::alias, .watches = {{{from}}}},
                          [&] { return path_.alias(into, from); });
}
Status JudgedGlobals::drop(Variable variable) {
  return witness_.attempt({.op = Op::drop, .watches = {{{variable}}}},
                          [&] { return path_.drop(variable); });
}

// ---- garbage ----

Status JudgedGarbage::make_cycle(Variable variable) {
  return witness_.attempt({.op = Op::make_cycle, .watches = {{{variable}}}},
                          [&] { return path_.make_cycle(variable); });
}
Status JudgedGarbage::plant(FinalizerAction action, Variable victim, std::int32_t value) {
  witness_.planted(value);
  return witness_.attempt({.op = Op::plant}, [&] { return path_.plant(action, victim, value); });
}
Status JudgedGarbage::collect(std::uint32_t generation) {
  return witness_.attempt({.op = Op::collect}, [&] { return path_.collect(generation); });
}

// ---- calls ----

Status JudgedCalls::call(const Arguments& arguments) {
  return witness_.attempt({.op = Op::call,
                           .watches = {{{arguments.pack}, {arguments.array}, {arguments.external}}},
                           .returns = arguments.returns,
                           .given = arguments.too_many ? kTooMany : Cases{0}},
                          [&] { return path_.call(arguments); });
}

// ---- contexts ----

Status JudgedContexts::make_context(Variable into) {
  return witness_.attempt({.op = Op::make_context}, [&] { return path_.make_context(into); });
}
Status JudgedContexts::set_arg_argpack(Variable context, Variable pack) {
  return witness_.attempt({.op = Op::set_arg_argpack, .watches = {{{context}, {pack}}}},
                          [&] { return path_.set_arg_argpack(context, pack); });
}
Status JudgedContexts::set_arg_ndarray(Variable context, Variable array) {
  return witness_.attempt({.op = Op::set_arg_ndarray, .watches = {{{context}, {array}}}},
                          [&] { return path_.set_arg_ndarray(context, array); });
}
Status JudgedContexts::set_arg_ndarray_with_grad(Variable context, Variable array) {
  return witness_.attempt({.op = Op::set_arg_ndarray_with_grad, .watches = {{{context}, {array}}}},
                          [&] { return path_.set_arg_ndarray_with_grad(context, array); });
}
Status JudgedContexts::set_arg_external(Variable context, Variable external) {
  return witness_.attempt({.op = Op::set_arg_external, .watches = {{{context}, {external}}}},
                          [&] { return path_.set_arg_external(context, external); });
}
Status JudgedContexts::set_arg_scalar(Variable context, std::int32_t value) {
  return witness_.attempt({.op = Op::set_arg_scalar, .watches = {{{context}}}, .value = value},
                          [&] { return path_.set_arg_scalar(context, value); });
}
Status JudgedContexts::compile(Variable context) {
  return witness_.attempt({.op = Op::compile, .watches = {{{context}}}},
                          [&] { return path_.compile(context); });
}
Status JudgedContexts::launch(Variable context, bool returns) {
  return witness_.attempt({.op = Op::launch, .watches = {{{context}}}, .returns = returns},
                          [&] { return path_.launch(context, returns); });
}

}  // namespace scenarios::argpack
