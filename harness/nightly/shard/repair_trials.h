// SPDX-License-Identifier: Apache-2.0
// Repair trials: tries repairs on the findings of a shard, and records those that work, from which
// roots are determined later.
#pragma once

#include <map>
#include <string>

#include "harness/nightly/record.h"
#include "harness/nightly/shard/services.h"

namespace harness::nightly {

/// Ownership: borrows all its arguments. Threads: confined to the runner's.
class RepairTrials {
 public:
  RepairTrials(Runner& runner, const Plan& plan, const ShardOptions& options);

  /// Records the repairs that work for a finding that is a fault and was found in this case. If the
  /// plan knows the finding, only its known repair is tried, unless that no longer works. Does
  /// nothing after the shard was stopped. Returns whether there was enough time before the
  /// deadline: if not, nothing is recorded, and the next night that sees the finding tries again.
  bool note(FindingRecord& finding, const Case& the_case, const Deadline& deadline);

 private:
  std::string repairs_of(const FindingRecord& finding, const Case& the_case,
                         const Deadline& deadline);

  Runner& runner_;
  const ShardOptions& options_;
  std::map<std::string, std::string> known_;  ///< The known repair's words, by cause.
};

}  // namespace harness::nightly
