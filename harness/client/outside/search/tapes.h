// SPDX-License-Identifier: Apache-2.0
// Tapes of runs: converts between the choices of a run in words and a tape.
#pragma once

#include <vector>

#include "harness/client/outside/client.h"
#include "harness/core/pick/pick.h"

namespace harness::client {

Tape tape_of(const std::vector<ToldDecision>& decisions);

/// Returns the choices of the process before the fault, and all choices of other processes.
Tape tape_before(const ClientRun& run, const ToldFault& fault);

/// Returns the choices of `tape` in the words of their run. A choice whose option has changed since
/// that run has no words.
std::vector<ToldDecision> told_of(const ClientRun& run, const Tape& tape);

}  // namespace harness::client
