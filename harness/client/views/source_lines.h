// SPDX-License-Identifier: Apache-2.0
// Source lines: lines of the user's files, read on demand.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace harness::reports {

/// Ownership: caches the files that it has read.
class SourceLines {
 public:
  /// Returns the line without surrounding whitespace; "" if it does not exist, or the file cannot
  /// be read. Lines are counted from 1.
  std::string at(const std::string& file, int line);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace harness::reports
