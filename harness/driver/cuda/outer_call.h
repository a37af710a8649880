// SPDX-License-Identifier: Apache-2.0
// Outer call: the function of a runtime library on top of the driver that the thread has called.
//
// libcuda.so.1 exports afterlife_outer_call(), which our runtime libraries look up by name. Reports
// then name the runtime's function, and begin with the frame that called it.
#pragma once

namespace harness {

/// Lifetime of the name: the process.
struct OuterCall {
  const char* function = nullptr;        ///< Null outside of such a call.
  const void* return_address = nullptr;  ///< Address in the code that called it.
  bool can_fail = true;  ///< Whether an error reaches the program, which can handle it.
};

}  // namespace harness
