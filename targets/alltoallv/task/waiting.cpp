// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/task/waiting.h"

#include <fmt/format.h>

namespace targets::alltoallv {

using harness::Label;

namespace {

constexpr std::uint32_t kNumbers = 2 * kRequestLimit;  ///< Higher numbers are reported as the last.

const char* name_of(std::uint32_t crossing) {
  constexpr std::array kNames{"setup", "completion", "third"};
  return kNames[crossing];
}

}  // namespace

Label slot_in_words(const Post& post) {
  static const Labels kLabels(kSlotIds * kNumbers, [](std::uint32_t i) {
    const std::uint32_t owner = i % kNumbers;
    const std::string slot = name_of_slot(i / kNumbers);
    return owner == 0 ? fmt::format("{}, which rank 0 has not claimed", slot)
                      : fmt::format("{}, where sync_state is {}", slot, owner);
  });
  const std::uint32_t owner = post.shared_slot().state.peek();
  return kLabels[post.slot_id() * kNumbers + std::min(owner, kNumbers - 1)];
}

Label barrier_in_words(const Post& post, Crossing crossing) {
  constexpr std::uint32_t kPlaces = kSlotIds * kRankLimit;
  static const Labels kLabels(3 * kPlaces, [](std::uint32_t i) {
    return fmt::format("rank {} in the {} barrier of {}", i % kRankLimit, name_of(i / kPlaces),
                       name_of_slot(i / kRankLimit % kSlotIds));
  });
  const std::uint32_t missing = post.shared_slot().barrier.first_missing();
  return kLabels[harness::raw(crossing) * kPlaces + post.slot_id() * kRankLimit + missing];
}

}  // namespace targets::alltoallv
