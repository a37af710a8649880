// SPDX-License-Identifier: Apache-2.0
// Advice: possible repairs of a finding, each of which a run can try.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/client/border/orders.h"
#include "harness/client/border/report.h"
#include "harness/client/outside/client.h"

namespace harness::client {

/// A kind of fault, of harness/core/fault/fault.def, that is often the consequence of another one.
inline constexpr const char* kWildAccess = "wild_access";

struct Advice {
  std::string words;
  Trial trial{};  ///< Verified: the fault does not occur with it.
};

/// Returns possible repairs of a fault with known places, the narrowest first. Each names one wait
/// or one object.
std::vector<Advice> advice_for(const ToldFault& fault);

/// Returns the first advice that helps: three runs with it, at one call or at all calls of its
/// place, do not show the fault and end well or with this exit code. Returns advice without words
/// if none helps. `run` runs the program with the choices of the finding and the trial.
Advice tried_advice(const ToldFault& fault, int code,
                    const std::function<ClientRun(const Trial&)>& run);

/// Returns whether this repair helps in the same way, without a change of place.
bool helps(const Trial& trial, const ToldFault& fault, int code,
           const std::function<ClientRun(const Trial&)>& run);

}  // namespace harness::client
