// Tapes of runs: the decisions of a run as a tape, and a tape in the words of a run.
#pragma once

#include <vector>

#include "harness/client/client.h"
#include "harness/pick.h"

namespace harness::client {

Tape tape_of(const std::vector<ToldDecision>& decisions);

/// Returns the decisions before the process met the fault, and all those of the other processes.
Tape tape_before(const ClientRun& run, const ToldFault& fault);

/// Returns the decisions of `tape` in the words of the run that they are from. One that was given
/// another answer since has none for that.
std::vector<ToldDecision> told_of(const ClientRun& run, const Tape& tape);

}  // namespace harness::client
