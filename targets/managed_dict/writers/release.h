// SPDX-License-Identifier: Apache-2.0
// Compiled code that drops the old value of an attribute before it stores the new one, as the
// fork's own fast path for member descriptors does: Py_XDECREF(*addr), and then *addr = value.
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// Code that runs during that release finds the dying value in the attribute.
class ReleaseBeforeStore final : public Writer {
 public:
  using Writer::Writer;
  bool releases_first() override {
    core_.scheduler().note(harness::EventKind::note, "the writer acts", 0, 1);
    return true;
  }
};

}  // namespace targets::managed_dict
