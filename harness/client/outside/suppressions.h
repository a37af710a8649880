// SPDX-License-Identifier: Apache-2.0
// Suppressions: findings that the user has accepted, each with the reason why it is not a failure.
//
// A file has one rule per line: a kind of fault, a pattern for a function or a file, and the
// reason, which is the rest of the line. Empty lines and lines that begin with # are ignored.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/client/border/report.h"

namespace harness::client {

struct Suppression {
  std::string kind;     ///< A kind of fault; "*" is any.
  std::string pattern;  ///< Matches a CUDA function, a function or a file, like a shell pattern.
  std::string reason;
  int line = 0;  ///< Line in the file.
};

class Suppressions {
 public:
  Suppressions() = default;
  /// Reads the file. Errors: std::runtime_error with one line, "FILE:LINE: ...".
  explicit Suppressions(const std::string& file);
  /// Parses the text of such a file. Errors: as for a file.
  static Suppressions parse(const std::string& text, const std::string& file);

  /// Returns the index in all() of the first rule that matches this fault, or all().size().
  std::size_t find(const ToldFault& fault) const;
  const std::vector<Suppression>& all() const { return all_; }
  /// Returns the place of a rule, "FILE:LINE".
  std::string place(const Suppression& one) const;

 private:
  std::string file_;
  std::vector<Suppression> all_;
};

}  // namespace harness::client
