// SPDX-License-Identifier: Apache-2.0
// Builds: the program of each revision that a bisection looks at, built once. A revision that does
// not build is remembered as well.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "harness/entries/cli/bisect/repository.h"

namespace harness::entries {

/// How a program is built in a tree, and where it is then.
struct BuildCommand {
  std::string command;  ///< For a shell, in the root of the tree.
  std::string program;  ///< Relative to that root.
};

/// A program, or why there is none.
struct Build {
  std::optional<std::string> program;
  std::string why;
  bool was_built = false;  ///< Now, rather than by an earlier bisection.
};

/// Lifetime: it borrows the repository and `stop`.
class Builds {
 public:
  Builds(const Repository& repository, BuildCommand command, const std::atomic<bool>& stop);

  /// Returns the program of the commit, which is checked out and built unless it was before.
  Build of(const std::string& commit) const;
  /// Builds what is in this folder, whatever revision it is of.
  Build in(const std::string& tree, const std::string& log) const;

 private:
  std::string place_of(const std::string& commit) const;
  void prepare(const std::string& tree) const;

  const Repository& repository_;
  BuildCommand command_;
  const std::atomic<bool>& stop_;
};

}  // namespace harness::entries
