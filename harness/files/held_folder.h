// SPDX-License-Identifier: Apache-2.0
// Held folder: a folder that one program alone may write into, while this lives.
//
// A program that is killed lets go of it, at the latest when those that it was starting are gone:
// so code that comes waits for a second. Errors: std::runtime_error with one line.
#pragma once

#include <string>

namespace harness {

class HeldFolder {
 public:
  /// Takes the folder, which must be there.
  explicit HeldFolder(const std::string& folder);
  ~HeldFolder();
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

 private:
  int number_;
};

}  // namespace harness
