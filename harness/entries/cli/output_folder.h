// Output folder: where a search leaves its reproducers: one file per finding, whole or not at all.
#pragma once

#include <string>

#include "harness/search.h"

namespace harness::entries {

class OutputFolder {
 public:
  /// Errors: std::runtime_error when reproducers could not be written there. Makes nothing yet.
  explicit OutputFolder(std::string folder);

  /// Writes the reproducer of a finding; returns the file, "<path>-<variant>-<hash of signature>.repro".
  std::string write(const Finding& finding);

 private:
  std::string folder_;
};

}  // namespace harness::entries
