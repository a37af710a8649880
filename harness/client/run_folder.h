// Run folder: the folder that has the orders and the reports of a run.
#pragma once

#include <string>

#include "harness/files/scratch_folder.h"

namespace harness::client {

/// Lifetime: removed in the end, with what is in it. Errors: std::runtime_error where it cannot be
/// made.
class RunFolder {
 public:
  const std::string& name() const { return folder_.name(); }
  /// Removes the reports of the run before.
  void remove_reports() const;

 private:
  ScratchFolder folder_{"afterlife-run"};
};

}  // namespace harness::client
