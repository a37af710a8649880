// SPDX-License-Identifier: Apache-2.0
// Output folder: the folder in which a search writes its reproducers, one file per finding, each
// complete or absent.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/search/search.h"

namespace harness::entries {

/// Beginning of the comment in a file whose run was not minimized.
inline constexpr const char* kNotMinimized = "# Not minimized";

/// Returns a reproducer's text without that comment.
std::string without_caveat(std::string text);

/// Refuses a folder that is not writable. `advice` says what to do. Creates nothing. Errors:
/// std::runtime_error.
void require_writable_folder(const std::string& folder, std::string_view advice);

class OutputFolder {
 public:
  /// Creates nothing yet. Errors: std::runtime_error if the folder is not writable.
  explicit OutputFolder(std::string folder);

  /// Writes the reproducer of a finding, replacing the previous one. A comment marks one that is
  /// not minimized. Errors: none; failure() returns the first.
  void keep(const Finding& finding);

  /// Returns the file that keep() wrote for the finding since the last forget(), or "".
  /// It is named "<path>-<variant>-<hazard>-<hash of signature>.repro".
  std::string file_of(const Finding& finding) const;
  /// Forgets the files of the previous search, for file_of().
  void forget() { written_.clear(); }

  /// Returns why a file was not written, or nothing.
  const std::optional<std::string>& failure() const { return failure_; }

 private:
  std::string name_for(const Finding& finding) const;
  void write(const Finding& finding, const std::string& file) const;

  std::string folder_;
  std::set<std::string> written_;
  std::optional<std::string> failure_;
};

}  // namespace harness::entries
