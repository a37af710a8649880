// SPDX-License-Identifier: Apache-2.0
// Causes: leads a name back to the op slot that caused it.
#pragma once

#include <span>
#include <unordered_map>

#include "harness/history.h"

namespace harness {

/// Ownership: owns a copy of the records of one run. Labels must outlive it.
class Causes {
 public:
  Causes() = default;
  explicit Causes(std::span<const ActivationRecord> records) { assign(records); }

  /// Replaces the records by a copy of these.
  void assign(std::span<const ActivationRecord> records) {
    records_.clear();
    for (const ActivationRecord& record : records) records_.try_emplace(record.name, record);
  }

  /// How `name` came about, or null for what nothing recorded caused: an op slot, the outside.
  const ActivationRecord* find(Name name) const {
    const auto found = records_.find(name);
    return found != records_.end() ? &found->second : nullptr;
  }

  /// The op slot that caused `name` in the end, or 0 when none did.
  Name slot_of(Name name) const {
    while (const ActivationRecord* record = find(name)) name = record->parent;
    return name;
  }

  const std::unordered_map<Name, ActivationRecord>& records() const { return records_; }

 private:
  std::unordered_map<Name, ActivationRecord> records_;
};

}  // namespace harness
