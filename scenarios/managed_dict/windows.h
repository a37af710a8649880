// SPDX-License-Identifier: Apache-2.0
// Windows: the places where the race can happen; scenario.cpp says each in a sentence.
#pragma once

#include "harness/scenario.h"

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

/// Notes which windows a run gets to. If a variant has a writer that is none of CPython's, what
/// comes before it acts is CPython's own, and no arrival. Ownership: the judges' of one run;
/// borrows the scene.
class Reached {
 public:
  explicit Reached(harness::Scene& scene)
      : scene_(scene),
        acted_(scene.scenario().variants[scene.variant()].claim.kind !=
               harness::ClaimKind::unsound) {}

  void reach(Window window);
  /// Returns whether the writer has written as part of an insertion order.
  bool overran() const { return overran_ || writes_in_append(); }

  /// The run crashes while the count of an object that is alive is wrong.
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
  std::size_t appended_at_ = kNone;  ///< Events when an index was added to an order last.
  std::size_t seen_ = 0;             ///< Events that were looked at.
};

}  // namespace scenarios::managed_dict
