// SPDX-License-Identifier: Apache-2.0
// Held folder: a folder into which only one program may write, while this object exists.
//
// A program that is killed releases it when the processes that it was starting are gone, too. So
// the constructor waits for up to a second. Errors: std::runtime_error with one line.
#pragma once

#include <string>

namespace harness {

class HeldFolder {
 public:
  /// Takes the folder, which must exist.
  explicit HeldFolder(const std::string& folder);
  ~HeldFolder();
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

 private:
  int number_;
};

}  // namespace harness
