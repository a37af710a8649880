// SPDX-License-Identifier: Apache-2.0
// Ops of a path: their table, sets of them, and the list of options for a slot.
//
// The rows of a path are in scenarios/<path>/ops.def: name, condition, call. They generate the
// path's enumeration of ops and the names of ops on a tape.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "harness/run/scenario/scenario.h"

namespace harness {

/// A set of a path's ops: bit per op, in the order of the rows.
using Ops = std::uint64_t;

/// Returns the set of these enumerators of a path's ops.
template <class... Members>
constexpr Ops ops(Members... members) {
  return (Ops{0} | ... | (Ops{1} << raw(members)));
}

/// Returns `members` if `condition` holds, else the empty set.
constexpr Ops when(bool condition, Ops members) { return condition ? members : 0; }

/// A place for one op: the `index`-th slot of a task. Tasks count from 0.
struct Slot {
  std::uint32_t task = 0;
  std::uint32_t index = 0;
};

/// One op of a path. `Situation` is what the path knows about the state of the script, `Answer` the
/// result of its calls: an enumeration in which 0 is ok.
template <class Player, class Situation, class Answer>
struct OpRow {
  Label name;
  bool (*applies)(const Situation& now);  ///< False if the op would make no sense.
  /// Chooses the arguments and calls the path.
  Answer (*call)(Player& player, const Situation& now, const Slot& slot);
};

/// Returns the ops of the table that apply.
template <const auto& kRows, class Situation>
constexpr Ops applicable_of(const Situation& now) {
  return [&]<std::size_t... index>(std::index_sequence<index...>) {
    return (Ops{0} | ... | (Ops{kRows[index].applies(now)} << index));
  }(std::make_index_sequence<std::size(kRows)>{});
}

/// The options for Scene::pick_op. An op that is listed several times is drawn more often by random
/// strategies.
class OpList {
 public:
  static constexpr std::size_t kLimit = 1024;

  void clear() { count_ = 0; }  ///< Removes all ops.
  /// Adds the ops of a set in ascending order; repeats this `times` times.
  void add(Ops members, std::size_t times = 1) {
    HARNESS_CHECK(count_ + times * static_cast<std::size_t>(std::popcount(members)) <= kLimit,
                  "an offer has room for its ops");
    for (; times != 0; --times)
      for (Ops rest = members; rest != 0; rest &= rest - 1)
        members_[count_++] = static_cast<std::uint8_t>(std::countr_zero(rest));
  }
  operator std::span<const std::uint8_t>() const { return {members_.data(), count_}; }

 private:
  std::array<std::uint8_t, kLimit> members_;
  std::size_t count_ = 0;
};

}  // namespace harness
