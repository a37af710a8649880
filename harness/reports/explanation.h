// SPDX-License-Identifier: Apache-2.0
// Explanation: who did it, why the instruments say so, and what each would have said alone.
#pragma once

#include <string>
#include <vector>

#include "harness/reports/terminal.h"
#include "harness/scenario.h"

namespace harness::reports {

struct Explanation {
  struct Share {
    Label instrument;
    Diagnosis alone;    ///< Drawn from this instrument by itself.
    Diagnosis lacking;  ///< Drawn from the others, without it.
  };

  std::string path;
  std::string signature;       ///< The fault that the case is about; empty if there is none.
  std::vector<Label> without;  ///< Instruments that were left out.
  Diagnosis diagnosis;
  std::vector<Share> shares;
  std::vector<std::string> record;  ///< All that this was judged from.
};

/// Without a newline at its end.
std::string to_text(const Explanation& explanation, const Terminal& terminal);

/// One object, without a newline at its end.
std::string to_json(const Explanation& explanation);

}  // namespace harness::reports
