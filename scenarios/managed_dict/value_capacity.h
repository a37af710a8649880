// SPDX-License-Identifier: Apache-2.0
// ValueCapacity: the number of values that new instances of each class have room for. The spare
// room shrinks with each instance.
#pragma once

#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the judge. Borrows the scene.
class ValueCapacity {
 public:
  explicit ValueCapacity(harness::Scene& scene) : scene_(scene) {}

  /// From now on, an instance with more room than the previous one is a fault.
  void judge() { judges_ = true; }
  /// An instance of the type with this number got room; `named` values are in its keys.
  void made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room);
  /// Returns whether a class may run out of room: it has less than the number of names in use.
  bool is_little() const;

 private:
  harness::Scene& scene_;
  bool judges_ = false;
  std::array<std::uint32_t, 2 * targets::managed_dict::kClassCountOfPath> capacity_{};
};

}  // namespace scenarios::managed_dict
