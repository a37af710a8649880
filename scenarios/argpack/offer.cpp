#include "scenarios/argpack/offer.h"

namespace scenarios::argpack {
namespace {

constexpr Ops kMakers = ops(Op::new_argpack, Op::new_ndarray, Op::new_external);
constexpr Ops kContexts = ops(Op::make_context, Op::set_arg_argpack, Op::compile, Op::launch);
constexpr Ops kContextArguments = ops(Op::set_arg_ndarray, Op::set_arg_ndarray_with_grad,
                                      Op::set_arg_external, Op::set_arg_scalar);

/// What takes away what others use.
constexpr Ops kTakers =
    ops(Op::replace_nested, Op::set_gradient, Op::drop_gradient, Op::resize_external);

constexpr std::array<Theme, kThemeCount> kThemes{{
    {~Ops{0}, ~Ops{0},
     kTakers | ops(Op::call, Op::plant, Op::set_arg_argpack, Op::compile, Op::launch)},
    // Nested packs, replaced while they are used.
    {ops(Op::new_argpack, Op::get_nested, Op::set_nested, Op::set_scalar, Op::call),
     ops(Op::replace_nested, Op::set_nested, Op::drop, Op::set_scalar, Op::call),
     kTakers | ops(Op::call)},
    // Launch contexts, which may be spent.
    {ops(Op::new_argpack) | kContexts,
     ops(Op::replace_nested, Op::drop, Op::collect, Op::set_arg_argpack), kContexts},
    // Launch contexts, whose arguments may be gone.
    {kMakers | kContexts | kContextArguments | ops(Op::to_numpy), kTakers | ops(Op::drop),
     kContexts},
    // Arrays and their gradients.
    {ops(Op::new_argpack, Op::new_ndarray, Op::fill, Op::to_numpy, Op::call),
     ops(Op::set_gradient, Op::drop_gradient, Op::fill, Op::drop),
     kTakers | ops(Op::fill, Op::call)},
    // External memory.
    {ops(Op::new_argpack, Op::new_external, Op::to_numpy, Op::call),
     ops(Op::new_external, Op::resize_external, Op::drop), kTakers | ops(Op::call)},
    // Resets, and what was left from before them.
    {ops(Op::new_argpack, Op::new_ndarray, Op::alias, Op::drop, Op::reset, Op::call),
     ops(Op::drop, Op::reset, Op::collect, Op::call), ops(Op::new_argpack)},
    // Finalizers.
    {kMakers | ops(Op::plant, Op::call), ops(Op::plant, Op::make_cycle),
     ops(Op::plant, Op::make_cycle, Op::call)},
    // Work in flight.
    {kMakers | ops(Op::call, Op::call_often, Op::drop, Op::resize_external, Op::replace_nested,
                   Op::flush),
     ops(Op::call, Op::drop, Op::resize_external, Op::synchronize, Op::flush), ops(Op::call)},
}};

/// `members` where `condition` holds.
constexpr Ops when(bool condition, Ops members) { return condition ? members : 0; }

}  // namespace

Ops applicable(const Situation& now) {
  const Census& census = now.census;
  return kMakers |
         when(census.packs != 0, ops(Op::set_scalar, Op::call, Op::call_often, Op::plant, Op::reset,
                                     Op::synchronize)) |
         when(census.deep != 0, ops(Op::replace_nested, Op::get_nested)) |
         when(now.child_fits, ops(Op::set_nested)) |
         when(census.arrays != 0, ops(Op::fill, Op::set_gradient, Op::drop_gradient)) |
         when(census.externals != 0, ops(Op::resize_external)) |
         when((census.arrays | census.externals) != 0, ops(Op::to_numpy)) |
         when(census.all() != 0, ops(Op::alias, Op::drop, Op::make_cycle, Op::collect)) |
         when(now.command_list && census.packs != 0, ops(Op::flush)) |
         when(census.packs != 0 && now.unbound == 0, ops(Op::make_context)) |
         when(census.packs != 0 && census.contexts != 0, ops(Op::set_arg_argpack)) |
         when(census.arrays != 0 && now.open() != 0,
              ops(Op::set_arg_ndarray, Op::set_arg_ndarray_with_grad)) |
         when(census.externals != 0 && now.open() != 0, ops(Op::set_arg_external)) |
         when(now.open() != 0, ops(Op::set_arg_scalar)) | when(now.bound != 0, ops(Op::compile)) |
         when(now.compiled != 0, ops(Op::launch));
}

Ops wanted(const Situation& now) {
  constexpr int kFewPacks = 3;             // One to lose, one to go on with, one to nest.
  if (now.census.contexts != 0) return 0;  // Whoever has a context goes on with it.
  return when(std::popcount(now.census.packs) < kFewPacks, ops(Op::new_argpack)) |
         when(now.census.arrays == 0, ops(Op::new_ndarray)) |
         when(now.census.externals == 0, ops(Op::new_external));
}

Ops redundant(const Situation& now) {
  constexpr int kEnoughPacks = 3;
  return when(std::popcount(now.census.packs) >= kEnoughPacks, ops(Op::new_argpack)) |
         when(now.census.arrays != 0, ops(Op::new_ndarray)) |
         when(now.census.externals != 0, ops(Op::new_external));
}

// Which kinds of ops take part is drawn per run by some strategies, so that there are several.
Ops closing(const Situation& now) {
  return ops(Op::call_new, Op::call_with_all) |
         (applicable(now) &
          (ops(Op::call, Op::call_often) | when(now.census.packs == 0, ops(Op::new_argpack))));
}

const Theme& theme(std::uint32_t index) { return kThemes[index]; }

Ops offer(const Theme& theme, std::uint32_t task, const Situation& now) {
  // What binds a pack to a context that has one is a mutator's: it may be launched meanwhile.
  const Ops rebinding = when(task == 0 && now.unbound == 0, ops(Op::set_arg_argpack));
  const Ops possible = applicable(now) & ~rebinding;
  if (&theme == &kThemes[0]) return possible;
  return possible & (task == 0 ? theme.script : theme.mutator) & ~redundant(now);
}

}  // namespace scenarios::argpack
