// SPDX-License-Identifier: Apache-2.0
// Service: the calls that may return a status other than ok, and when.
//
// The table is the contract: a status that it does not list is a refusal, which is a fault. The
// scenario itself knows whether a row's condition holds: it knows its own requests and variables,
// and the CUDA calls into which it injected errors.
#pragma once

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

/// The scenario's knowledge about a call that did not return ok.
struct Circumstances {
  bool in_place = false;  ///< An in-place collective was requested.
  bool empty = false;     ///< The variable is empty.
  bool injected = false;  ///< An error was injected into one of this rank's CUDA calls for it.
  bool peer_injected =
      false;  ///< An error was injected into a call that a peer made for the same collective.
};

/// One row of the table.
struct Refusal {
  harness::Label call;
  targets::alltoallv::Status answer;
  bool Circumstances::* when;
  std::string_view why;
};
std::span<const Refusal> refusals();

bool is_documented(harness::Label call, targets::alltoallv::Status answer,
                   const Circumstances& circumstances);

/// Returns whether an error was injected on behalf of `activation`, after the first `since` of the
/// run's choices.
bool was_injected(const harness::World& world, harness::Name activation, std::size_t since);

/// Returns whether an error was injected on behalf of `activation` into an open of IPC memory and
/// the process's next one, whatever that one belongs to (harness/driver/cuda/open.h).
bool was_next_injected(const harness::World& world, harness::Name activation);

}  // namespace scenarios::alltoallv
