// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/attempt.h"

#include <algorithm>

#include "scenarios/argpack/enabled_ops.h"

namespace scenarios::argpack {
namespace {

using targets::argpack::kNothing;
using targets::argpack::Status;

Cases when(bool condition, Cases cases) { return condition ? cases : 0; }

Cases of_context(const Context& context, const Model& model) {
  return when(context.launched, kSpent) |
         when(context.generation != model.things.generation(), kInvalid) |
         when(!context.complete(), kUnbound) |
         when(std::ranges::any_of(context.binding.places,
                                  [&](const Bound& bound) {
                                    return bound.thing != nullptr &&
                                           model.things.is_stale(*bound.thing);
                                  }),
              kBindsStale);
}

Cases of_thing(const Thing& thing, const Watch& watch, const Model& model) {
  switch (thing.kind) {
    case Kind::nothing:
      return 0;
    case Kind::context:
      return of_context(*thing.context, model);
    case Kind::external:
      return when(model.contexts.is_held(thing), kHeld) |
             when(model.contexts.is_bound(thing), kExported);
    case Kind::pack:
    case Kind::ndarray:
      return when(thing.kind == Kind::pack && thing.depth < watch.depth, kMisfit) |
             when(model.things.is_stale(thing), kStale) |
             when(thing.generation != model.things.generation(), kStaleRoot);
  }
  return 0;
}

/// Returns whether every child that set_nested may have loaded fits every such parent.
bool child_fits(const Watch& parents, const Watch& children) {
  const auto fits = [&](const Thing* parent, const Thing* child) {
    return parent == nullptr || child == nullptr ||
           child->depth + (parents.depth - 1) == parent->depth;
  };
  return std::ranges::all_of(parents.met, [&](const Thing* parent) {
    return std::ranges::all_of(children.met,
                               [&](const Thing* child) { return fits(parent, child); });
  });
}

constexpr Ops kOfContexts =
    ops(Op::set_arg_argpack, Op::set_arg_ndarray, Op::set_arg_ndarray_with_grad,
        Op::set_arg_external, Op::set_arg_scalar, Op::compile, Op::launch);
constexpr Ops kOfPacks = ops(Op::set_scalar, Op::replace_nested, Op::set_nested, Op::get_nested);
constexpr Ops kUsers = ops(Op::call, Op::fill, Op::to_numpy, Op::set_arg_argpack,
                           Op::set_arg_ndarray, Op::set_arg_ndarray_with_grad);
constexpr Ops kAll = ~Ops{0};

constexpr std::array<Refusal, 14> kRefusals{{
    {kAll & ~ops(Op::new_ndarray, Op::new_external, Op::make_context, Op::plant, Op::collect,
                 Op::synchronize, Op::flush, Op::reset),
     Status::name_error, kEmpty, kEmpty, false, "Python: the name is not defined"},
    {kOfPacks, Status::type_error, kMisfit, kMisfit, false, "the pack has no such member"},
    {kAll, Status::no_program, kNoProgram, 0, false, "ti.init() has not run since the last reset"},
    {kUsers | kOfPacks, Status::stale_object, kStale, 0, false,
     "a wrapper from before reset() can only be dropped"},
    {kUsers, Status::stale_object, kStale, kStaleRoot, true,
     "a wrapper from before reset() can only be dropped"},
    {ops(Op::call), Status::argument_limit, kTooMany, kTooMany, false,
     "exceed_max_arg_num: raised before the launch"},
    {ops(Op::launch), Status::unbound, kUnbound, kUnbound, false,
     "nothing to launch: a pack is missing, or the kernel was not compiled"},
    {kAll, Status::driver_error, kInjected, 0, false,
     "an error was injected into one of its CUDA calls"},
    {ops(Op::resize_external), Status::buffer_error, kHeld, kExported, true,
     "exported storage cannot be resized, as numpy's BufferError"},
    {kOfContexts, Status::context_spent, kSpent, kSpent, true, "a launch context is single use"},
    {kOfContexts, Status::context_invalid, kInvalid, kInvalid, true,
     "a context is of one program, which was reset"},
    {ops(Op::call), Status::context_invalid, kReset, 0, true,
     "the program was reset while the call was being made"},
    {ops(Op::call), Status::invalid_allocation, kReset, 0, false,
     "the call's own program has no table any more, or the next one none that goes so far"},
    {kUsers | ops(Op::launch), Status::invalid_allocation, kStale | kInvalid | kBindsStale, 0,
     false,
     "what is bound, written or read is of a program that has ended, and not in the next one's"},
}};

}  // namespace

Cases cases_of(Attempt& attempt, const Model& model) {
  Cases cases = attempt.given | when(model.things.generation() == 0, kNoProgram);
  for (Watch& watch : attempt.watches) {
    if (watch.variable == kNothing) continue;
    const Thing* now = model.things.held_by(watch.variable);
    if (now != nullptr)
      watch.meet(now);
    else
      cases |= kEmpty;
    for (const Thing* thing : watch.met)
      if (thing != nullptr) cases |= of_thing(*thing, watch, model);
  }
  if (attempt.op == Op::set_nested)
    cases |= when(!child_fits(attempt.watches[0], attempt.watches[1]), kMisfit);
  return cases;
}

Deeds deeds_of(Op op, bool returns) {
  switch (op) {
    case Op::new_argpack:
    case Op::get_nested:
    case Op::new_ndarray:
    case Op::new_external:
    case Op::alias:
    case Op::drop:
    case Op::make_context:
      return kStored;
    case Op::set_scalar:
    case Op::fill:
      return kWritten;
    case Op::replace_nested:
    case Op::set_nested:
    case Op::set_gradient:
    case Op::drop_gradient:
      return kAttached;
    case Op::resize_external:
      return kMoved;
    case Op::to_numpy:
      return kContents;
    case Op::set_arg_argpack:
    case Op::set_arg_ndarray:
    case Op::set_arg_ndarray_with_grad:
    case Op::set_arg_external:
      return kBound;
    case Op::set_arg_scalar:
      return kScalar;
    case Op::compile:
      return kCompiled;
    case Op::call:
    case Op::launch:
      return kSubmitted | (returns ? kRead | kFinished : 0);
    case Op::synchronize:
      return kFinished;
    case Op::reset:
      return kBegan;
    default:
      return 0;
  }
}

std::span<const Refusal> refusals() { return kRefusals; }

}  // namespace scenarios::argpack
