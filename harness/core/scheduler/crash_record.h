// SPDX-License-Identifier: Apache-2.0
// CrashRecord: signal and place of a crash of the code under test, until it is reported to the run.
#pragma once

#include "harness/base/base.h"
#include "harness/base/crash/crash.h"
#include "harness/core/fault/fault.h"

namespace harness::scheduling {

class CrashRecord {
 public:
  void clear() { crash_ = {}; }  ///< Forgets the crash, if there was one.
  /// Records a crash. Allocates nothing, because it may run in a signal handler.
  void keep(const Crash& crash, Label site, Name activation) {
    crash_ = crash;
    site_ = site;
    activation_ = activation;
  }

  /// Returns whether nothing crashed.
  bool empty() const { return crash_.signal.empty(); }
  Fault fault() const;  ///< Returns the crash as a fatal fault at its site.

 private:
  Crash crash_;
  Label site_;           ///< The site that ran when it crashed.
  Name activation_ = 0;  ///< The activation that ran when it crashed.
};

}  // namespace harness::scheduling
