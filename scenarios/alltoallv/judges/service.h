// SPDX-License-Identifier: Apache-2.0
// Service: which calls may answer with something else than ok, and when.
//
// The table is the contract's: everything that it does not list is a refusal, a fault. Whether a
// row's condition holds is the scenario's own knowledge: what it asked for, what it keeps in which
// variable, and which CUDA calls it had fail.
#pragma once

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

/// The scenario's knowledge of a call that did not answer ok.
struct Circumstances {
  bool in_place = false;  ///< It was asked to work in place.
  bool empty = false;     ///< It was given a variable that holds nothing.
  bool injected = false;  ///< A CUDA call that this rank made for it was made to fail.
  bool peer_injected =
      false;  ///< A call that a peer made for the same collective was made to fail.
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

/// Whether a CUDA call was made to fail on behalf of `activation`, after the first `since` of the
/// run's choices.
bool was_injected(const harness::World& world, harness::Name activation, std::size_t since);

/// Whether an open of IPC memory was made to fail on behalf of `activation` together with the
/// process's next one, code that's that is (harness/cuda/open.h).
bool was_next_injected(const harness::World& world, harness::Name activation);

}  // namespace scenarios::alltoallv
