// Output folder: where a search leaves its reproducers: one file per finding, whole or not at all.
#pragma once

#include <string>

#include "harness/search.h"

namespace harness::entries {

/// How the comment of a file begins that is no reproducer yet, but a run as it was found.
inline constexpr const char* kNotMinimized = "# Not minimized";

/// A reproducer's text without that comment, for when it is minimized.
std::string without_caveat(std::string text);

class OutputFolder {
 public:
  /// Errors: std::runtime_error when reproducers could not be written there. Makes nothing yet.
  explicit OutputFolder(std::string folder);

  /// Where a finding goes: "<path>-<variant>-<hazard>-<hash of signature>.repro".
  std::string file_of(const Finding& finding) const;

  /// Writes the reproducer of a finding, over what it was before. One that is not minimized says
  /// so.
  void write(const Finding& finding);

 private:
  std::string folder_;
};

}  // namespace harness::entries
