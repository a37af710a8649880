// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/crash_record.h"

#include "harness/core/fault/kinds.h"

namespace harness::scheduling {

Fault CrashRecord::fault() const {
  Fault fault = fatal_fault(FaultKind::crash);
  fault.object_kind = crash_.signal;
  fault.use_site = site_;
  fault.activation = activation_;
  fault.code = crash_.code;
  fault.detail = crash_.words;
  return fault;
}

}  // namespace harness::scheduling
