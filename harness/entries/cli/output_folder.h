// Output folder: where a search leaves its reproducers: one file per finding, whole or not at all.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/search.h"

namespace harness::entries {

/// How the comment of a file begins that is no reproducer yet, but a run as it was found.
inline constexpr const char* kNotMinimized = "# Not minimized";

/// A reproducer's text without that comment, for when it is minimized.
std::string without_caveat(std::string text);

/// Refuses a folder in which nothing could be written. `advice` says what to do then. Errors:
/// std::runtime_error. Makes nothing.
void require_writable_folder(const std::string& folder, std::string_view advice);

class OutputFolder {
 public:
  /// Errors: std::runtime_error when reproducers could not be written there. Makes nothing yet.
  explicit OutputFolder(std::string folder);

  /// Writes the reproducer of a finding, over what it was before. One that is not minimized says
  /// so. Errors: none; failure() tells of the first.
  void keep(const Finding& finding);

  /// Returns the file that keep() wrote for the finding since the last forget(), or "".
  /// It is named "<path>-<variant>-<hazard>-<hash of signature>.repro".
  std::string file_of(const Finding& finding) const;
  /// Leaves the files of the search before out of what file_of() knows.
  void forget() { written_.clear(); }

  /// Returns the line that says why a file was not written, if one was not.
  const std::optional<std::string>& failure() const { return failure_; }

 private:
  std::string name_for(const Finding& finding) const;
  void write(const Finding& finding, const std::string& file) const;

  std::string folder_;
  std::set<std::string> written_;
  std::optional<std::string> failure_;
};

}  // namespace harness::entries
