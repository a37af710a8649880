// Run folder: the folder that has the orders and the reports of a run.
#pragma once

#include <string>

namespace harness::client {

/// Lifetime: removed in the end, with what is in it. Errors: std::runtime_error where it cannot be
/// made.
class RunFolder {
 public:
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& name() const { return name_; }
  /// Removes the reports of the run before.
  void remove_reports() const;

 private:
  std::string name_;
};

}  // namespace harness::client
