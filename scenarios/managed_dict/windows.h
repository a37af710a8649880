// SPDX-License-Identifier: Apache-2.0
// Windows: the places where the race can happen; scenario.cpp describes each in a sentence.
#pragma once

#include "harness/run/scenario/scenario.h"

namespace scenarios::managed_dict {

enum class Window : std::uint8_t {
  word_read,
  word_counted,
  chunk_freed,
  instance_recycled,
  order_appended,
  type_modified,
  value_counted,
  dict_published,
  value_released,
};
inline constexpr std::size_t kWindowCount = 9;

/// Notes the windows that a run reached. In a variant with a foreign writer, events before it acts
/// are CPython's own and do not count. Ownership: owned by the judges of one run; borrows the
/// scene.
class Reached {
 public:
  explicit Reached(harness::Scene& scene)
      : scene_(scene),
        acted_(scene.scenario().variants[scene.variant()].claim.kind !=
               harness::ClaimKind::unsound) {}

  void reach(Window window);
  /// Returns whether the writer has written as part of an append to an insertion order.
  bool overran() const { return overran_ || writes_in_append(); }

  /// The run crashed while a live object had a wrong count.
  void note_miscount() { miscounted_ = true; }
  bool miscounted() const { return miscounted_; }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  bool has_acted();
  bool writes_in_append() const;

  harness::Scene& scene_;
  bool acted_;
  bool overran_ = false;
  bool miscounted_ = false;
  std::size_t appended_at_ = kNone;  ///< Number of events at the last append to an order.
  std::size_t seen_ = 0;             ///< Number of events examined.
};

}  // namespace scenarios::managed_dict
