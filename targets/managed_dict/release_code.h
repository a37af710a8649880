// SPDX-License-Identifier: Apache-2.0
// Release code: Python code that runs when an instance dies: the callback of a weak reference, or
// __del__. It runs inside the code that dropped the last reference, in the middle of its work.
#pragma once

#include "targets/managed_dict/memory_observer.h"

namespace targets::managed_dict {

class ReleaseCode {
 public:
  virtual ~ReleaseCode() = default;
  /// Called when the instance has no reference left, but is unchanged. Returns false if the code
  /// has resurrected it.
  virtual bool released(Address object) = 0;
};

}  // namespace targets::managed_dict
