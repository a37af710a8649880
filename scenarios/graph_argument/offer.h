// Offer: the ops that can do something now, of those that this run is about.
//
// What is offered never changes what an op on a tape means: a tape holds names of ops, and every
// theme is a subset of the plain one, in which everything is offered.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "scenarios/graph_argument/scenario.h"
#include "scenarios/graph_argument/variables.h"

namespace scenarios::graph_argument {

/// A set of ops, a bit each.
using Ops = std::uint64_t;
static_assert(kOpCount <= 64);

template <class... Members>
constexpr Ops ops(Members... members) {
  return (Ops{0} | ... | (Ops{1} << harness::raw(members)));
}

/// Where the script stands.
struct Situation {
  Census census;
  bool added = false;     ///< Some definition has, or had, a node.
  bool launched = false;  ///< There is something to wait for.
};

/// The ops that are no plain mistake in this situation.
Ops applicable(const Situation& situation);

/// The ops that lead on to a launch, and those that make more of what there is enough of.
Ops wanted(const Situation& situation);
/// What does not lead on, in a run that is about something.
Ops redundant(const Situation& situation, bool several_definitions);

/// What a run is about: about everything (plain), or about one family of ops, since a run that does
/// a few things often gets where a run that does everything seldom gets.
struct Theme {
  Ops script;
  Ops mutator;
  Ops favoured;       ///< Listed kFavour times, so that a strategy that draws finds them.
  Variables dropped;  ///< Listed often among what `drop` may drop.
};
inline constexpr std::size_t kFavour = 4;
inline constexpr std::size_t kWant = 12;  ///< ... and what leads on to a launch so often.
inline constexpr std::uint32_t kThemeCount = 15;
const Theme& theme(std::uint32_t index);

/// What goes into a slot of `task`.
Ops offer(const Theme& theme, std::uint32_t task, const Situation& situation);

/// What is offered, as Scene::pick_op takes it.
class OpList {
 public:
  OpList() = default;
  OpList(Ops offered, Ops favoured, Ops wanted) {
    add(offered);
    for (std::size_t i = 1; i < kFavour; ++i) add(offered & favoured);
    for (std::size_t i = 1; i < kWant; ++i) add(offered & wanted);
  }
  operator std::span<const std::uint8_t>() const { return {members_.data(), count_}; }

 private:
  void add(Ops ops) {
    for (; ops != 0; ops &= ops - 1)
      members_[count_++] = static_cast<std::uint8_t>(std::countr_zero(ops));
  }

  std::array<std::uint8_t, (kFavour + kWant) * kOpCount> members_;
  std::size_t count_ = 0;
};

}  // namespace scenarios::graph_argument
