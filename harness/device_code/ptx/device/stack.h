// SPDX-License-Identifier: Apache-2.0
// Stack: local memory that a function allocates dynamically, until it returns.
#pragma once

#include "harness/device_code/ptx/device/thread.h"

namespace ptx {

struct Stack {
  alignas(16) u8 bytes[16 << 10];
  u64 used = 0;

  PTX_OP u64 allocate(u64 count, u64 alignment) {
    const u64 begin = reinterpret_cast<u64>(bytes);
    const u64 at = (begin + used + alignment - 1) & ~(alignment - 1);
    if (at - begin > sizeof bytes || count > sizeof bytes - (at - begin))
      driver.stop(static_cast<u32>(Stop::trap), "more than 16 KiB by alloca");
    used = at - begin + count;
    return at;
  }
  /// Frees everything that was allocated since `saved`.
  PTX_OP void restore(u64 saved) {
    if (saved > used)
      driver.stop(static_cast<u32>(Stop::trap), "stackrestore of what stacksave has not given");
    used = saved;
  }
};

}  // namespace ptx
