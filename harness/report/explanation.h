// SPDX-License-Identifier: Apache-2.0
// Explanation: which part caused the fault, the evidence of the instruments, and the conclusion
// from each of them alone.
#pragma once

#include <string>
#include <vector>

#include "harness/report/terminal.h"
#include "harness/run/scenario/scenario.h"

namespace harness::reports {

struct Explanation {
  struct Share {
    Label instrument;
    Diagnosis alone;    ///< From this instrument alone.
    Diagnosis lacking;  ///< From all others, without this one.
  };

  std::string path;
  std::string signature;       ///< The fault of the case; "" if there is none.
  std::vector<Label> without;  ///< Instruments that were disabled.
  Diagnosis diagnosis;
  std::vector<Share> shares;
  std::vector<std::string> record;  ///< All observations on which the diagnosis is based.
};

/// Returns text without a newline at its end.
std::string to_text(const Explanation& explanation, const Terminal& terminal);

/// Returns one object without a newline at its end.
std::string to_json(const Explanation& explanation);

}  // namespace harness::reports
