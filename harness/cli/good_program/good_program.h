// SPDX-License-Identifier: Apache-2.0
// GoodProgram: a program without the fault, which is run to record its control flow in a case.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "harness/base/files/scratch_folder.h"
#include "harness/search/triage/triage.h"

namespace harness::entries {

/// Lifetime: borrows `stop`. Each case is a run of the program.
class GoodProgram {
 public:
  GoodProgram(std::string program, const std::atomic<bool>& stop)
      : program_(std::move(program)), stop_(stop), scratch_("afterlife-triage") {}

  /// Throws std::runtime_error, which names the program, if it cannot replay the case, and
  /// BisectionStopped if `stop` is set.
  Followed follow(const Case& the_case, std::optional<std::size_t> step) const;

 private:
  std::string program_;
  const std::atomic<bool>& stop_;
  ScratchFolder scratch_;
};

}  // namespace harness::entries
