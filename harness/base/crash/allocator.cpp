// SPDX-License-Identifier: Apache-2.0
#include "harness/base/crash/allocator.h"

#include <unwind.h>

#include <cstdlib>
#include <new>

namespace harness {
namespace {

/// Sanitizers have their own operators, which do not call malloc.
const void* const kEntries[] = {
    reinterpret_cast<void*>(&malloc),
    reinterpret_cast<void*>(&free),
    reinterpret_cast<void*>(&calloc),
    reinterpret_cast<void*>(&realloc),
    reinterpret_cast<void*>(&aligned_alloc),
    reinterpret_cast<void*>(static_cast<void* (*)(std::size_t)>(&::operator new)),
    reinterpret_cast<void*>(static_cast<void* (*)(std::size_t, std::align_val_t)>(&::operator new)),
    reinterpret_cast<void*>(static_cast<void (*)(void*)>(&::operator delete)),
    reinterpret_cast<void*>(static_cast<void (*)(void*, std::size_t)>(&::operator delete)),
    reinterpret_cast<void*>(static_cast<void (*)(void*, std::align_val_t)>(&::operator delete)),
};

_Unwind_Reason_Code look_for_entry(_Unwind_Context* frame, void* found) {
  const auto code = reinterpret_cast<void*>(_Unwind_GetIP(frame));
  const void* const function = _Unwind_FindEnclosingFunction(code);
  for (const void* const entry : kEntries)
    if (function == entry) *static_cast<bool*>(found) = true;
  return *static_cast<bool*>(found) ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

bool in_allocator() {
  static constinit thread_local bool looking = false;
  if (looking) return false;  // The walk itself crashed.
  looking = true;
  bool found = false;
  _Unwind_Backtrace(look_for_entry, &found);
  looking = false;
  return found;
}

}  // namespace harness
