// SPDX-License-Identifier: Apache-2.0
// Run folder: the folder with the orders and reports of a run.
#pragma once

#include <string>

#include "harness/base/files/scratch_folder.h"

namespace harness::client {

/// Lifetime: the destructor removes the folder with its contents. Errors: std::runtime_error if it
/// cannot be created.
class RunFolder {
 public:
  const std::string& name() const { return folder_.name(); }
  /// Removes the reports of the previous run.
  void remove_reports() const;

 private:
  ScratchFolder folder_{"afterlife-run"};
};

}  // namespace harness::client
