// SPDX-License-Identifier: Apache-2.0
// References: the number of strong references that were actually taken to each object.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/managed_dict/judge_context.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the shadow. Borrows the context.
class References {
 public:
  using Address = targets::managed_dict::Address;
  using Block = targets::managed_dict::Block;

  struct Count {
    std::int32_t taken = 0;
    bool judged = false;  ///< Its content was found wrong.
  };

  explicit References(const JudgeContext& context) : context_(context) {}

  /// An object was made, with one reference.
  void made(harness::BirthId object) { of_life(object).taken = 1; }
  /// Adds references to the object that begins at the address, if there is one.
  void add(Address object, std::int32_t by);

  /// Returns the references to the object in the block; valid until another object is made.
  Count& in(const Block& block);

 private:
  Count& of_life(harness::BirthId object) {
    const std::size_t index = harness::raw(object);
    if (index >= lives_.size()) [[unlikely]]
      lives_.resize(2 * index + kFirstLives);
    return lives_[index];
  }

  static constexpr std::size_t kFirstLives = 64;

  const JudgeContext& context_;
  std::pmr::vector<Count> lives_;  ///< Counts by birth id.
  /// By the number of a static object.
  std::array<Count, targets::managed_dict::kStaticCount> statics_{};
};

}  // namespace scenarios::managed_dict
