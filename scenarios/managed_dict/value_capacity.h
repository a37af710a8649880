// SPDX-License-Identifier: Apache-2.0
// ValueCapacity: how many values new instances of each class get room for. The keys that they share
// leave less and less to spare.
#pragma once

#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {

/// Ownership: the judge's. Borrows the scene.
class ValueCapacity {
 public:
  explicit ValueCapacity(harness::Scene& scene) : scene_(scene) {}

  /// From now on, an instance with more room than the one before is a fault.
  void judge() { judges_ = true; }
  /// An instance of the type with this number got room; its keys name `named` of the values.
  void made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room);
  /// Whether a class may run out: it has less room than there are names that are drawn.
  bool is_little() const;

 private:
  harness::Scene& scene_;
  bool judges_ = false;
  std::array<std::uint32_t, 2 * targets::managed_dict::kClassCountOfPath> capacity_{};
};

}  // namespace scenarios::managed_dict
