// SPDX-License-Identifier: Apache-2.0
// Failed call: the object of a call that is about to return an error.
#pragma once

#include <cstdint>

namespace harness {

/// The first argument of the last call that failed, if it is an address, a handle or a number;
/// else 0. Threads: each has its own.
inline constinit thread_local std::uint64_t failed_call_argument = 0;

}  // namespace harness
