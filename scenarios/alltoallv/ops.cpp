// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def names a condition and a call, both of which are in this file. A
// call chooses its arguments, and plans a step for each rank.
#include "scenarios/alltoallv/player.h"
#include "scenarios/alltoallv/rank.h"

namespace scenarios::alltoallv {
namespace {

using harness::Slot;
using targets::alltoallv::Collective;
using targets::alltoallv::Status;

// ---- when --------------------------------------------------------------------------------------

bool always(const Situation&) { return true; }
bool has_begun(const Situation& now) { return now.begun; }
bool has_persistent(const Situation& now) { return now.persistent != 0; }
bool has_one_team(const Situation& now) { return !now.two_teams; }
bool has_two_teams(const Situation& now) { return now.two_teams; }
bool can_start_thread(const Situation& now) {
  constexpr std::uint32_t kMost = 2;
  return now.thread_count < kMost && now.thread_count + 1 < now.rank_count;
}

// ---- collectives -------------------------------------------------------------------------------

constexpr std::uint32_t kShapes = 8;

Step exchange(Chooser& choose, const Situation& now, Collective collective) {
  constexpr std::uint32_t kStreams = 3;
  const bool even = collective == Collective::alltoall;
  return {.call = &Rank::begin,
          .buffer = choose.buffer(),
          .collective = collective,
          .shape = choose.number(kShapes),
          .triggered = choose.one(),
          .silent = even ? kNobody : choose.one(),
          .stream = choose.number(kStreams),
          .offset = 4 * choose.number(2),
          .team = choose.team(now.two_teams)};
}

Step simple(Chooser& choose, const Situation& now, Collective collective) {
  return {.call = &Rank::begin,
          .buffer = choose.buffer(),
          .collective = collective,
          .shape = choose.number(kShapes),
          .team = choose.team(now.two_teams)};
}

Status alltoallv(Player& player, const Situation& now, const Slot&) {
  return player.plan(exchange(player.choose(), now, Collective::alltoallv));
}

Status alltoall(Player& player, const Situation& now, const Slot&) {
  return player.plan(exchange(player.choose(), now, Collective::alltoall));
}

Status allgather(Player& player, const Situation& now, const Slot&) {
  return player.plan(simple(player.choose(), now, Collective::allgather_ring));
}

Status reduce_scatter(Player& player, const Situation& now, const Slot&) {
  return player.plan(simple(player.choose(), now, Collective::reduce_scatter_linear));
}

Status persistent(Player& player, const Situation& now, const Slot&) {
  Step step = exchange(player.choose(), now, Collective::alltoallv);
  step.persistent = true;
  return player.plan(step);
}

Status post_again(Player& player, const Situation& now, const Slot&) {
  return player.plan({.call = &Rank::post_again, .of = player.choose().slot(now.persistent)});
}

Status init_only(Player& player, const Situation& now, const Slot&) {
  Step step = simple(player.choose(), now, Collective::alltoallv);
  step.init_only = true;
  return player.plan(step);
}

Status in_place(Player& player, const Situation& now, const Slot&) {
  Step step = simple(player.choose(), now, Collective::alltoallv);
  step.in_place = true;
  return player.plan(step);
}

Status wait(Player& player, const Situation&, const Slot&) {
  return player.plan({.call = &Rank::wait, .who = player.choose().who()});
}

Status progress(Player& player, const Situation&, const Slot&) {
  return player.plan({.call = &Rank::progress, .who = player.choose().who()});
}

// ---- memory ------------------------------------------------------------------------------------

Status renew(Player& player, const Situation&, const Slot&) {
  Chooser& choose = player.choose();
  return player.plan({.call = &Rank::renew,
                      .behind = choose.behind(),
                      .buffer = choose.buffer(),
                      .delay = choose.delay()});
}

Status drop(Player& player, const Situation&, const Slot&) {
  Chooser& choose = player.choose();
  return player.plan({.call = &Rank::drop, .who = choose.who(), .buffer = choose.buffer()});
}

Status make_cycle(Player& player, const Situation&, const Slot&) {
  Chooser& choose = player.choose();
  return player.plan({.call = &Rank::make_cycle, .who = choose.who(), .buffer = choose.buffer()});
}

Status collect(Player& player, const Situation&, const Slot&) {
  return player.plan({.call = &Rank::collect, .who = player.choose().who()});
}

// ---- ranks -------------------------------------------------------------------------------------

Status start_thread(Player& player, const Situation&, const Slot&) {
  return player.plan({.call = &Rank::start_thread, .who = player.choose().served()});
}

Status new_team(Player& player, const Situation&, const Slot&) {
  return player.plan({.call = &Rank::new_team, .topology = player.choose().topology()});
}

Status second_team(Player& player, const Situation&, const Slot&) {
  return player.plan(
      {.call = &Rank::second_team, .topology = player.choose().topology(), .team = 1});
}

Status end_team(Player& player, const Situation&, const Slot&) {
  return player.plan({.call = &Rank::end_team, .team = 1});
}

Status sleep(Player& player, const Situation&, const Slot&) {
  constexpr std::array kTurns{16U, 64U, 256U};
  Chooser& choose = player.choose();
  return player.plan(
      {.call = &Rank::sleep, .who = choose.rank(), .turns = kTurns[choose.number(kTurns.size())]});
}

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, applies, call) {#name, applies, call},
#include "scenarios/alltoallv/ops.def"
});

}  // namespace

std::span<const Player::Row> op_rows() { return kRows; }

Ops applicable(const Situation& now) { return harness::applicable_of<kRows>(now); }

}  // namespace scenarios::alltoallv
