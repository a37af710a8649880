// SPDX-License-Identifier: Apache-2.0
// Nights made by hand, one after another, in one history.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "harness/nightly/history.h"
#include "harness/nightly/tests/nightly_stage.h"

namespace harness::testing {

/// Nights of hand_made_plan(), of one shard each, numbered from 1.
class HandMadeNights : public ::testing::Test {
 protected:
  std::uint64_t next_number() { return ++number_; }
  /// Leaves a shard in a folder of its night's.
  std::string leave(const nightly::ShardRecord& shard) {
    return leave_shard(folder_ / std::to_string(shard.terms.number), shard);
  }
  /// Returns the night after its only shard was merged.
  nightly::Night merge_night(const nightly::ShardRecord& shard) {
    history_.merge({leave(shard)});
    history_.sort_findings();
    return now();
  }
  /// A night that sees nothing, and replays what it did not see.
  nightly::Night without(nightly::Absence absence) {
    const nightly::Night night =
        merge_night(hand_made_shard(hand_made_plan(1, next_number()), 1, {}));
    std::map<std::string, nightly::Absence> absences;
    for (const nightly::AbsentFinding& finding : history_.absent(night))
      absences[finding.cause] = absence;
    history_.note(night, absences);
    return now();
  }
  nightly::Night now() { return history_.night(history_.last_night()); }
  nightly::History& history() { return history_; }

 private:
  Folder folder_;
  nightly::History history_{folder_ / "history"};
  std::uint64_t number_ = 0;
};

}  // namespace harness::testing
