// SPDX-License-Identifier: Apache-2.0
// Causes: traces a name back to the op slot that caused it.
#pragma once

#include <span>
#include <unordered_map>

#include "harness/core/history/history.h"

namespace harness {

/// Ownership: owns a copy of the records of one run. Labels must outlive it.
class Causes {
 public:
  Causes() = default;
  explicit Causes(std::span<const ActivationRecord> records) { assign(records); }

  /// Replaces the records by a copy of `records`.
  void assign(std::span<const ActivationRecord> records) {
    records_.clear();
    for (const ActivationRecord& record : records) records_.try_emplace(record.name, record);
  }

  /// Returns the cause of `name`, or null if no record has it: an op slot, or code outside of
  /// tasks.
  const ActivationRecord* find(Name name) const {
    const auto found = records_.find(name);
    return found != records_.end() ? &found->second : nullptr;
  }

  /// Returns the op slot that is the root cause of `name`, or 0 if there is none.
  Name slot_of(Name name) const {
    while (const ActivationRecord* record = find(name)) name = record->parent;
    return name;
  }

  const std::unordered_map<Name, ActivationRecord>& records() const { return records_; }

 private:
  std::unordered_map<Name, ActivationRecord> records_;
};

}  // namespace harness
