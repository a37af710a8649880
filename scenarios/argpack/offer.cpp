#include "scenarios/argpack/offer.h"

namespace scenarios::argpack {
namespace {

constexpr Ops kMakers = ops(Op::new_argpack, Op::new_ndarray, Op::new_external);
constexpr Ops kCalls = ops(Op::call);
constexpr Ops kNesting = ops(Op::replace_nested, Op::set_nested, Op::get_nested);
constexpr Ops kContexts = ops(Op::make_context, Op::set_arg_argpack, Op::compile, Op::launch);
constexpr Ops kGarbage = ops(Op::make_cycle, Op::plant, Op::collect, Op::drop);

constexpr std::array<Ops, kThemeCount> kThemes{
    ~Ops{0},
    // Nested packs, replaced while they are used.
    ops(Op::new_argpack, Op::drop) | kNesting | kCalls,
    // Launch contexts, whose arguments may be gone, and which may be spent.
    ops(Op::new_argpack, Op::drop, Op::replace_nested) | kContexts,
    // Arrays and their gradients.
    ops(Op::new_argpack, Op::new_ndarray, Op::set_gradient, Op::drop_gradient, Op::drop, Op::set_arg_ndarray,
        Op::set_arg_ndarray_with_grad, Op::fill) | kCalls | kContexts,
    // External memory.
    ops(Op::new_argpack, Op::new_external, Op::resize_external, Op::drop, Op::set_arg_external) | kCalls | kContexts,
    // Resets, and what was left from before them.
    ops(Op::new_argpack, Op::new_ndarray, Op::alias, Op::drop, Op::reset) | kCalls,
    // Finalizers.
    kMakers | kGarbage | kCalls,
    // Work in flight.
    kMakers | kCalls | ops(Op::drop, Op::resize_external, Op::replace_nested, Op::synchronize, Op::flush),
};

/// `members` where `condition` holds.
constexpr Ops when(bool condition, Ops members) { return condition ? members : 0; }

}  // namespace

Ops applicable(const Situation& now) {
  const Census& census = now.census;
  return kMakers |
         when(census.packs != 0, ops(Op::set_scalar, Op::call, Op::plant, Op::reset, Op::synchronize)) |
         when(census.deep != 0, ops(Op::replace_nested, Op::get_nested)) |
         when(now.child_fits, ops(Op::set_nested)) |
         when(census.arrays != 0, ops(Op::fill, Op::set_gradient, Op::drop_gradient)) |
         when(census.externals != 0, ops(Op::resize_external)) |
         when(census.all() != 0, ops(Op::alias, Op::drop, Op::make_cycle, Op::collect)) |
         when(now.command_list && census.packs != 0, ops(Op::flush)) |
         when(census.packs != 0 && now.unbound == 0, ops(Op::make_context)) |
         when(census.packs != 0 && now.unbound != 0, ops(Op::set_arg_argpack)) |
         when(census.arrays != 0 && now.open() != 0,
              ops(Op::set_arg_ndarray, Op::set_arg_ndarray_with_grad)) |
         when(census.externals != 0 && now.open() != 0, ops(Op::set_arg_external)) |
         when(now.open() != 0, ops(Op::set_arg_scalar)) |
         when(now.bound != 0, ops(Op::compile)) | when(now.compiled != 0, ops(Op::launch));
}

Ops theme(std::uint32_t index) { return kThemes[index]; }

}  // namespace scenarios::argpack
