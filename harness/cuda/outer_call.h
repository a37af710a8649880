// SPDX-License-Identifier: Apache-2.0
// Outer call: the function of a runtime on top of the driver that the calling thread is in.
//
// libcuda.so.1 exports afterlife_outer_call(), which our runtimes look up by its name: reports then
// name the runtime's function, and begin with the frame that called it.
#pragma once

namespace harness {

/// Lifetime of the name: the process.
struct OuterCall {
  const char* function = nullptr;        ///< Null outside of such a call.
  const void* return_address = nullptr;  ///< In code that called it.
  bool can_fail = true;  ///< The program is informed of an error, and can handle it.
};

}  // namespace harness
