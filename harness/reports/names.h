// SPDX-License-Identifier: Apache-2.0
// Names: what a story calls the things of a run: "ArgPack #2", counted per kind in order of birth.
#pragma once

#include <string>
#include <unordered_map>

#include "harness/world.h"

namespace harness::reports {

/// Ownership: borrows the world; good until its next run.
class Names {
 public:
  explicit Names(const World& world);

  /// "ArgPack #2", or empty for what never lived.
  std::string object(Name name) const;
  /// "stream #1", "legacy stream", "per-thread stream of mutator", or empty.
  std::string stream(Name name) const;
  /// The life that is called so, or null.
  const Life* life(Name name) const;
  /// "block 3" for an activation that something caused; empty for an op slot and for the unknown.
  std::string activation(Name name) const;
  /// "driver", or "device".
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
  std::unordered_map<Name, std::uint16_t> first_user_;  ///< The task that first gave a stream work.
};

}  // namespace harness::reports
