// SPDX-License-Identifier: Apache-2.0
// Chooser: chooses the ranks, buffers and slots of an op.
//
// Tapes hold their numbers, never positions in a list.
#pragma once

#include "harness/run/scenario/chooser.h"
#include "harness/run/scenario/variables.h"
#include "scenarios/alltoallv/enabled_ops.h"

namespace scenarios::alltoallv {

/// Ownership: borrows the scene and the theme.
class Chooser final : public harness::Chooser {
 public:
  Chooser(harness::Scene& scene, const Theme& theme, std::uint32_t rank_count)
      : harness::Chooser(scene), theme_(theme), rank_count_(rank_count) {}

  std::uint32_t rank() { return number(rank_count_); }
  /// Chooses one rank or all. Default: all ranks.
  std::uint32_t who() {
    const std::uint32_t answer = number(rank_count_ + 1);
    return answer == 0 ? kAll : answer - 1;
  }
  /// Chooses one rank or none. Default: none.
  std::uint32_t one() {
    const std::uint32_t answer = number(2 * rank_count_ + 1);
    return answer == 0 || answer > rank_count_ ? kNobody : answer - 1;
  }
  /// Chooses the rank of an op for a single rank. Default: rank 0, which has the most work.
  std::uint32_t served() {
    const std::uint32_t answer = number(2 * rank_count_);
    return answer < rank_count_ ? answer : 0;
  }
  /// Chooses the rank that stays behind. Default: rank 1.
  std::uint32_t behind() { return theme_.served ? 0 : (1 + rank()) % rank_count_; }
  /// Chooses for how many turns it does, before and after it polls outstanding work.
  Delay delay() {
    constexpr auto kDelays = std::to_array<Delay>(
        {{0, 0}, {256, 256}, {512, 512}, {1024, 1024}, {0, 64}, {0, 256}, {0, 512}, {0, 1024}});
    return theme_.served ? Delay{} : kDelays[number(kDelays.size())];
  }

  targets::alltoallv::Buffer buffer() {
    return number(theme_.renews || theme_.litters ? 1 : targets::alltoallv::kBufferCount);
  }
  /// Chooses one of `slots`, which has one bit per slot.
  std::uint32_t slot(std::uint32_t slots) {
    harness::VariableOptions<kSlotCountLimit> options;
    options.add_all(slots);
    return options.pick(scene_);
  }
  /// Chooses a team. Default: the first.
  std::uint32_t team(bool there_are_two) { return there_are_two ? number(2) : 0; }
  /// Chooses a topology. Default: with a proxy, if there are enough ranks.
  Step::Topology topology() {
    return rank_count_ > 2 && yes() ? Step::Topology::ranks_0_and_2_by_proxy
                                    : Step::Topology::direct;
  }

 private:
  const Theme& theme_;
  std::uint32_t rank_count_;
};

}  // namespace scenarios::alltoallv
