// Suppressions: findings that the user knows of, each with the reason why it is no failure.
//
// A file has one a line: a kind of fault, a pattern of a function or a file, and the reason, which
// is the rest of the line. Empty lines, and those that begin with #, say nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/client/report.h"

namespace harness::client {

struct Suppression {
  std::string kind;     ///< A kind of fault; "*" is any.
  std::string pattern;  ///< Fits a CUDA function, a function or a file, by the rules of a shell.
  std::string reason;
  int line = 0;  ///< In the file.
};

class Suppressions {
 public:
  Suppressions() = default;
  /// Reads the file. Errors: std::runtime_error with one line, "FILE:LINE: ...".
  explicit Suppressions(const std::string& file);
  /// Takes the text of such a file. Errors: as of a file.
  static Suppressions parse(const std::string& text, const std::string& file);

  /// Returns the first that speaks of this fault, by its number in all(); or all().size().
  std::size_t find(const ToldFault& fault) const;
  const std::vector<Suppression>& all() const { return all_; }
  /// Returns where one stands, "FILE:LINE".
  std::string place(const Suppression& one) const;

 private:
  std::string file_;
  std::vector<Suppression> all_;
};

}  // namespace harness::client
