// SPDX-License-Identifier: Apache-2.0
// How it works. A row of ops.def names a condition and an op, each a function of this file. That of
// an op chooses its arguments, and returns a step for each rank.
#include "scenarios/alltoallv/player.h"

namespace scenarios::alltoallv {
namespace {

using targets::alltoallv::Collective;

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
  return {.buffer = choose.buffer(),
          .collective = collective,
          .shape = choose.number(kShapes),
          .triggered = choose.one(),
          .silent = even ? kNobody : choose.one(),
          .stream = choose.number(kStreams),
          .offset = 4 * choose.number(2),
          .team = choose.team(now.two_teams)};
}

Step simple(Chooser& choose, const Situation& now, Collective collective) {
  return {.buffer = choose.buffer(),
          .collective = collective,
          .shape = choose.number(kShapes),
          .team = choose.team(now.two_teams)};
}

Step alltoallv(Chooser& choose, const Situation& now) {
  return exchange(choose, now, Collective::alltoallv);
}

Step alltoall(Chooser& choose, const Situation& now) {
  return exchange(choose, now, Collective::alltoall);
}

Step allgather(Chooser& choose, const Situation& now) {
  return simple(choose, now, Collective::allgather_ring);
}

Step reduce_scatter(Chooser& choose, const Situation& now) {
  return simple(choose, now, Collective::reduce_scatter_linear);
}

Step persistent(Chooser& choose, const Situation& now) {
  Step step = exchange(choose, now, Collective::alltoallv);
  step.persistent = true;
  return step;
}

Step post_again(Chooser& choose, const Situation& now) {
  return {.of = choose.slot(now.persistent)};
}

Step init_only(Chooser& choose, const Situation& now) {
  Step step = simple(choose, now, Collective::alltoallv);
  step.init_only = true;
  return step;
}

Step in_place(Chooser& choose, const Situation& now) {
  Step step = simple(choose, now, Collective::alltoallv);
  step.in_place = true;
  return step;
}

Step wait(Chooser& choose, const Situation&) { return {.who = choose.who()}; }

Step progress(Chooser& choose, const Situation&) { return {.who = choose.who()}; }

// ---- memory ------------------------------------------------------------------------------------

Step renew(Chooser& choose, const Situation&) {
  return {.behind = choose.behind(), .buffer = choose.buffer(), .delay = choose.delay()};
}

Step drop(Chooser& choose, const Situation&) {
  return {.who = choose.who(), .buffer = choose.buffer()};
}

Step make_cycle(Chooser& choose, const Situation& now) { return drop(choose, now); }

Step collect(Chooser& choose, const Situation&) { return {.who = choose.who()}; }

// ---- ranks -------------------------------------------------------------------------------------

Step start_thread(Chooser& choose, const Situation&) { return {.who = choose.served()}; }

Step new_team(Chooser& choose, const Situation&) { return {.topology = choose.topology()}; }

Step second_team(Chooser& choose, const Situation&) {
  return {.topology = choose.topology(), .team = 1};
}

Step end_team(Chooser&, const Situation&) { return {.team = 1}; }

Step sleep(Chooser& choose, const Situation&) {
  constexpr std::array kTurns{16U, 64U, 256U};
  return {.who = choose.rank(), .turns = kTurns[choose.number(kTurns.size())]};
}

// ---- the table ---------------------------------------------------------------------------------

template <Step (*op)(Chooser&, const Situation&)>
Player::Status planned(Player& player, const Situation& now, const harness::Slot&) {
  player.plan(op(player.choose(), now));
  return Player::Status::ok;
}

constexpr auto kRows = std::to_array<Player::Row>({
#define OP(name, when, run) {#name, when, planned<name>},
#include "scenarios/alltoallv/ops.def"
});

}  // namespace

std::span<const Player::Row> op_rows() { return kRows; }

Ops applicable(const Situation& now) { return harness::applicable_of<kRows>(now); }

}  // namespace scenarios::alltoallv
