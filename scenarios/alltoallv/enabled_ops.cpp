// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/enabled_ops.h"

namespace scenarios::alltoallv {
namespace {

constexpr Ops kCollectives = ops(Op::alltoallv, Op::alltoall);
constexpr Ops kScratchUsers = ops(Op::allgather, Op::reduce_scatter);

/// Ops that make an address return are rarely drawn, so they have a theme, listed three times.
constexpr Theme kRenewing{.name = "a buffer that is renewed after each collective",
                          .offered = ops(Op::alltoallv, Op::renew),
                          .favoured = ops(Op::alltoallv),
                          .renews = true};
constexpr Theme kServed{.name = "a thread that holds what has gone, and is mapped again",
                        .offered = ops(Op::alltoallv, Op::renew),
                        .favoured = ops(Op::alltoallv),
                        .renews = true,
                        .served = true};

constexpr std::array<Theme, 17> kThemes{{
    {.name = "everything", .favoured = kCollectives | ops(Op::renew, Op::wait)},
    {.name = "two collectives or more outstanding",
     .offered = ops(Op::alltoallv, Op::alltoall, Op::progress, Op::sleep),
     .favoured = kCollectives},
    {.name = "proxies",
     .offered = kCollectives | kScratchUsers | ops(Op::new_team, Op::progress, Op::wait),
     .favoured = kCollectives},
    {.name = "memory that is freed, and its address given out again",
     .offered = kCollectives | ops(Op::renew, Op::progress, Op::make_cycle, Op::collect),
     .favoured = ops(Op::alltoallv, Op::renew)},
    {.name = "all users of slots",
     .offered = kCollectives | kScratchUsers | ops(Op::wait, Op::drop),
     .favoured = kScratchUsers},
    {.name = "persistent collectives, and threads",
     .offered = ops(Op::persistent, Op::post_again, Op::alltoallv, Op::start_thread, Op::init_only,
                    Op::wait),
     .favoured = ops(Op::post_again)},
    {.name = "threads, and memory whose address is given out again",
     .offered = kCollectives | ops(Op::renew, Op::start_thread, Op::sleep),
     .favoured = ops(Op::alltoallv, Op::renew)},
    {.name = "threads that claim slots",
     .offered = ops(Op::alltoallv, Op::start_thread),
     .favoured = ops(Op::alltoallv)},
    kRenewing,
    kRenewing,
    kRenewing,
    {.name = "the least job",
     .offered = ~ops(Op::make_cycle),
     .favoured = kCollectives,
     .quiet = true},
    kServed,
    kServed,
    {.name = "garbage that one process collects while another frees",
     .offered = ops(Op::alltoallv, Op::make_cycle, Op::drop, Op::wait),
     .favoured = ops(Op::alltoallv),
     .litters = true},
    {.name = "two teams over one cache",
     .offered = kCollectives | kScratchUsers |
                ops(Op::second_team, Op::end_team, Op::renew, Op::progress, Op::wait),
     .favoured = kCollectives | kScratchUsers | ops(Op::end_team),
     .pairs = true},
    {.name = "tensors that are pieces of one allocation",
     .offered = kCollectives | ops(Op::second_team, Op::new_team, Op::renew, Op::drop, Op::wait),
     .favoured = ops(Op::alltoallv),
     .pooled = true},
}};

/// Returns the next op of the sequence that makes garbage.
constexpr Ops littering_after(Ops last) {
  if (last == ops(Op::alltoallv)) return ops(Op::make_cycle);
  if (last == ops(Op::make_cycle)) return ops(Op::drop);
  return ops(Op::alltoallv);
}

}  // namespace

void Situation::add(const Step& step) {
  last = ops(step.op);
  begun |= step.collective.has_value();
  posted |= step.posts();
  persistent |= std::uint32_t{step.persistent} << step.slot;
  thread_count += step.op == Op::start_thread;
  two_teams = step.op == Op::second_team || (two_teams && step.op != Op::end_team);
}

std::span<const Theme> themes() { return kThemes; }

Ops offer(const Theme& theme, const Situation& now) { return applicable(now) & theme.offered; }

Ops favoured(const Theme& theme, const Situation& now) {
  if (theme.pairs && now.begun && !now.two_teams) return ops(Op::second_team);
  if (now.last == 0) return theme.favoured;
  if (theme.litters) return littering_after(now.last);
  return theme.renews && now.last != ops(Op::renew) ? ops(Op::renew) : theme.favoured;
}

}  // namespace scenarios::alltoallv
