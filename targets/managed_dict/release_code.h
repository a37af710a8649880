// SPDX-License-Identifier: Apache-2.0
// Release code: Python code that runs when an instance is given up: a weak reference's callback, or
// __del__. It runs inside whatever gave up the last reference, and sees what that left.
#pragma once

#include "targets/managed_dict/memory_observer.h"

namespace targets::managed_dict {

class ReleaseCode {
 public:
  virtual ~ReleaseCode() = default;
  /// The instance has no reference left, and is otherwise unchanged. Returns false if the code kept
  /// it, so that it stays alive.
  virtual bool released(Address object) = 0;
};

}  // namespace targets::managed_dict
