// SPDX-License-Identifier: Apache-2.0
// Names: the names of objects in a story: "ArgPack #2", counted per kind in the order of birth.
#pragma once

#include <string>
#include <unordered_map>

#include "harness/core/world.h"

namespace harness::reports {

/// Ownership: borrows the world. Lifetime: until its next run.
class Names {
 public:
  explicit Names(const World& world);

  /// Returns "ArgPack #2", or "" for an object that never existed.
  std::string object(Name name) const;
  /// Returns "stream #1", "legacy stream", "per-thread stream of mutator", or "".
  std::string stream(Name name) const;
  /// Returns the lifetime of that object, or null.
  const Life* life(Name name) const;
  /// Returns "block 3" for an activation that has a cause; "" for op slots and unknown ones.
  std::string activation(Name name) const;
  /// Returns the name of a task, such as "driver", or "device".
  std::string task(std::uint16_t task) const;

 private:
  struct Entry {
    const Life* life;
    std::uint32_t number;
  };

  bool is_task(const ActivationRecord& record) const;

  const World& world_;
  std::unordered_map<Name, Entry> lives_;
  std::unordered_map<Name, const ActivationRecord*> activations_;
  std::unordered_map<Name, std::uint16_t> first_user_;  ///< The task that first used a stream.
};

}  // namespace harness::reports
