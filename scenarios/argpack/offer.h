// Offer: the ops that can do something now, of those that this run is about.
//
// What is offered never changes what an op on a tape means: a tape holds names of ops, and every
// theme is a subset of the plain one, in which everything is offered.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "scenarios/argpack/scenario.h"
#include "scenarios/argpack/variables.h"

namespace scenarios::argpack {

/// A set of ops, a bit each.
using Ops = std::uint32_t;
static_assert(kOpCount <= 32);

template <class... Members>
constexpr Ops ops(Members... members) {
  return (Ops{0} | ... | (Ops{1} << harness::raw(members)));
}

/// Where the script stands.
struct Situation {
  Census census;
  Variables unbound = 0;    ///< Contexts that lack their pack.
  Variables bound = 0;      ///< Contexts that have it, and were not compiled.
  Variables compiled = 0;   ///< Contexts ready for launching, or launched already.
  bool child_fits = false;  ///< There is a pack that can become another's nested one.
  bool command_list = false;

  Variables open() const { return unbound | bound; }
};

/// The ops that are no plain mistake in this situation.
Ops applicable(const Situation& situation);

/// The ops that make what there is none of, and those that make more of what there is enough of.
Ops wanted(const Situation& situation);
Ops redundant(const Situation& situation);

/// What a run is about: about everything (plain), or about one family of ops, since a run that does
/// a few things often gets where a run that does everything seldom gets.
struct Theme {
  Ops script;
  Ops mutator;
  Ops favoured;  ///< Listed kFavour times, so that a strategy that draws finds them.
};
inline constexpr std::size_t kFavour = 7;
inline constexpr std::uint32_t kThemeCount = 9;
const Theme& theme(std::uint32_t index);

/// What goes into a slot of `task`.
Ops offer(const Theme& theme, std::uint32_t task, const Situation& situation);

/// What goes into the closing slots of a script that has launched nothing, whatever its theme: an
/// ordinary use in one op, or a call of what there is.
Ops closing(const Situation& situation);

/// What is offered, as Scene::pick_op takes it.
class OpList {
 public:
  OpList() = default;
  OpList(Ops offered, Ops favoured) {
    add(offered);
    for (std::size_t i = 1; i < kFavour; ++i) add(offered & favoured);
  }
  operator std::span<const std::uint8_t>() const { return {members_.data(), count_}; }

 private:
  void add(Ops ops) {
    for (; ops != 0; ops &= ops - 1)
      members_[count_++] = static_cast<std::uint8_t>(std::countr_zero(ops));
  }

  std::array<std::uint8_t, kFavour * kOpCount> members_;
  std::size_t count_ = 0;
};

}  // namespace scenarios::argpack
