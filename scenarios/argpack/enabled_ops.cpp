// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/enabled_ops.h"

namespace scenarios::argpack {
namespace {

using harness::when;

constexpr Ops kMakers = ops(Op::new_argpack, Op::new_ndarray, Op::new_external);
constexpr Ops kContexts = ops(Op::make_context, Op::set_arg_argpack, Op::compile, Op::launch);
constexpr Ops kContextArguments = ops(Op::set_arg_ndarray, Op::set_arg_ndarray_with_grad,
                                      Op::set_arg_external, Op::set_arg_scalar);

/// Ops that remove or move objects that others use.
constexpr Ops kTakers =
    ops(Op::replace_nested, Op::set_gradient, Op::drop_gradient, Op::resize_external);

constexpr std::array<Theme, 10> kThemes{{
    {.name = "everything",
     .favoured = kTakers | ops(Op::call, Op::plant, Op::set_arg_argpack, Op::compile, Op::launch),
     .uses_stale = true},
    {.name = "nested packs, replaced while they are used",
     .script = ops(Op::new_argpack, Op::get_nested, Op::set_nested, Op::set_scalar, Op::call),
     .mutator = ops(Op::replace_nested, Op::set_nested, Op::drop, Op::set_scalar, Op::call),
     .favoured = kTakers | ops(Op::call)},
    {.name = "launch contexts, which may be spent",
     .script = ops(Op::new_argpack) | kContexts,
     .mutator = ops(Op::replace_nested, Op::drop, Op::collect, Op::set_arg_argpack),
     .favoured = kContexts},
    {.name = "launch contexts, whose arguments may be gone",
     .script = kMakers | kContexts | kContextArguments | ops(Op::to_numpy),
     .mutator = kTakers | ops(Op::drop),
     .favoured = kContexts | kContextArguments},
    {.name = "arrays and their gradients",
     .script = ops(Op::new_argpack, Op::new_ndarray, Op::fill, Op::to_numpy, Op::call),
     .mutator = ops(Op::set_gradient, Op::drop_gradient, Op::fill, Op::drop),
     .favoured = kTakers | ops(Op::call)},
    {.name = "external memory",
     .script = ops(Op::new_argpack, Op::new_external, Op::to_numpy, Op::call),
     .mutator = ops(Op::new_external, Op::resize_external, Op::drop),
     .favoured = kTakers | ops(Op::call)},
    {.name = "resets, and what was left from before them",
     .script = ops(Op::new_argpack, Op::new_ndarray, Op::alias, Op::drop, Op::reset, Op::call),
     .mutator = ops(Op::drop, Op::reset, Op::collect, Op::call)},
    {.name = "finalizers",
     .script = kMakers | ops(Op::plant, Op::call),
     .mutator = ops(Op::plant, Op::make_cycle),
     .favoured = ops(Op::plant, Op::make_cycle, Op::call)},
    {.name = "work in flight",
     .script = kMakers | ops(Op::call, Op::call_often, Op::drop, Op::resize_external,
                             Op::replace_nested, Op::flush),
     .mutator = ops(Op::call, Op::drop, Op::resize_external, Op::synchronize, Op::flush),
     .favoured = ops(Op::call)},
    {.name = "wrappers from before a reset, used after it",
     .script = ops(Op::new_argpack, Op::new_ndarray, Op::reset, Op::call, Op::set_scalar,
                   Op::set_nested, Op::fill, Op::to_numpy, Op::set_arg_ndarray) |
               kContexts,
     .mutator = ops(Op::drop, Op::reset, Op::call),
     .favoured = ops(Op::reset),
     .uses_stale = true},
}};

}  // namespace

Ops wanted(const Situation& now) {
  constexpr int kFewPacks = 3;             // One to lose, one to keep, one to nest.
  if (now.census.contexts != 0) return 0;  // A script with a context continues with it.
  return when(std::popcount(now.fresh(now.census.packs)) < kFewPacks, ops(Op::new_argpack)) |
         when(now.fresh(now.census.arrays) == 0, ops(Op::new_ndarray)) |
         when(now.census.externals == 0, ops(Op::new_external));
}

// There are several, because some strategies enable only a random subset of the kinds of ops.
Ops closing(const Situation& now) {
  const bool has_packs = now.fresh(now.census.packs) != 0;
  return kOnlyClosing | when(has_packs, ops(Op::call, Op::call_often)) |
         when(!has_packs, ops(Op::new_argpack));
}

std::span<const Theme> themes() { return kThemes; }

Ops offer(const Theme& theme, std::uint32_t task, const Situation& now) {
  // Only a mutator rebinds the pack of a bound context, which may be launched concurrently.
  const Ops rebinding = when(task == 0 && now.unbound == 0, ops(Op::set_arg_argpack));
  const Ops possible = applicable(now) & ~kOnlyClosing & ~rebinding;
  if (&theme == &kThemes[0]) return possible;
  return possible & (task == 0 ? theme.script : theme.mutator);
}

}  // namespace scenarios::argpack
