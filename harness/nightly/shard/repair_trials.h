// SPDX-License-Identifier: Apache-2.0
// Repair trials: which repairs remove what a shard found, noted with the finding for code that
// gives it a root later.
#pragma once

#include <map>
#include <string>

#include "harness/nightly/record.h"
#include "harness/nightly/shard/services.h"

namespace harness::nightly {

/// Ownership: borrows all that it is made of. Threads: confined to the runner's.
class RepairTrials {
 public:
  RepairTrials(Runner& runner, const Plan& plan, const Services& services);

  /// Notes the repairs that work for a finding that is a fault, and was found in this case. Of one
  /// that the plan knows, only its own repair is tried, unless that no longer works. Does nothing
  /// once the shard was stopped. Returns whether the trial fit before the deadline: if not, nothing
  /// is noted, and the next night that sees the finding tries again.
  bool note(FindingRecord& finding, const Case& the_case, const Deadline& deadline);

 private:
  std::string repairs_of(const FindingRecord& finding, const Case& the_case,
                         const Deadline& deadline);

  Runner& runner_;
  const Services& services_;
  std::map<std::string, std::string> known_;  ///< The words of the repair, by cause.
};

}  // namespace harness::nightly
