// SPDX-License-Identifier: Apache-2.0
// Source lines: lines of the user's files, read when they are wanted.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace harness::reports {

/// Ownership: keeps what it has read.
class SourceLines {
 public:
  /// Returns the line without the space around it; "" where there is none, or the file cannot be
  /// read. Lines count from 1 on.
  std::string at(const std::string& file, int line);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace harness::reports
