// SPDX-License-Identifier: Apache-2.0
// Scratch folder: a folder for temporary files.
#pragma once

#include <string>

namespace harness {

/// Lifetime: the destructor removes the folder with all its contents.
class ScratchFolder {
 public:
  /// Errors: std::runtime_error if it cannot be made.
  explicit ScratchFolder(const std::string& prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// Returns its path.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace harness
