// SPDX-License-Identifier: Apache-2.0
// Refuse: the calls that may return a status other than ok, and when. Any other status is a
// refusal, which is a fault.
#pragma once

#include "scenarios/alltoallv/model/state.h"

namespace scenarios::alltoallv {

/// The scenario's knowledge about a call that did not return ok: it knows its own requests, and the
/// CUDA calls into which it injected errors.
struct Circumstances {
  bool in_place = false;  ///< An in-place collective was requested.
  bool injected = false;  ///< An error was injected into one of this rank's CUDA calls for it.
  /// An error was injected into a call that a peer made for the same collective.
  bool peer_injected = false;
};

/// Returns the circumstances of the last post of a request, which has ended with an error.
Circumstances circumstances_of(const harness::World& world, const State& state, std::uint32_t rank,
                               Request request);

bool is_documented(harness::Label call, targets::alltoallv::Status answer,
                   const Circumstances& circumstances);

}  // namespace scenarios::alltoallv
