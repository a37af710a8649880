// SPDX-License-Identifier: Apache-2.0
// Reach: the windows, those that a run reached, and the window of a fault.
#pragma once

#include "harness/run/scenario/scenario.h"

namespace scenarios::managed_dict {

enum class Window : std::uint8_t {
#define WINDOW(name, ...) name,
#include "scenarios/managed_dict/windows.def"
};

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

/// Returns the window that the fault belongs to, or -1.
int window_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::managed_dict
