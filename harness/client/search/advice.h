// Advice: the repairs that a finding asks for, each of which a run can try.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/client/client.h"
#include "harness/client/orders.h"
#include "harness/client/report.h"

namespace harness::client {

struct Advice {
  std::string words;
  Trial trial{};  ///< The fault is gone with it, or the advice is not given.
};

/// Returns what could repair the fault, of which places are known, the narrowest first: each names
/// one wait or one object.
std::vector<Advice> advice_for(const ToldFault& fault);

/// Returns the first advice with which three runs do not show the fault, and end with this exit
/// code; one without words where none helps. `run` runs the program under the decisions of the
/// finding, and the trial.
Advice tried_advice(const ToldFault& fault, int code,
                    const std::function<ClientRun(const Trial&)>& run);

}  // namespace harness::client
