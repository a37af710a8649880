// SPDX-License-Identifier: Apache-2.0
// Builds: the programs of the revisions of a bisection, each built once. Failed builds are
// remembered, too.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "harness/entries/cli/bisect/repository.h"

namespace harness::entries {

/// The command that builds a program in a source tree, and the path of the program.
struct BuildCommand {
  std::string command;  ///< A shell command, run in the root of the tree.
  std::string program;  ///< Relative to that root.
};

/// A program, or the reason why there is none.
struct Build {
  std::optional<std::string> program;
  std::string why;
  bool was_built = false;  ///< Built now, not by an earlier bisection.
};

/// Lifetime: borrows the repository and `stop`.
class Builds {
 public:
  Builds(const Repository& repository, BuildCommand command, const std::atomic<bool>& stop);

  /// Returns the program of the commit, which is checked out and built if it is not stored.
  Build of(const std::string& commit) const;
  /// Builds the source tree in this folder, whatever its revision.
  Build in(const std::string& tree, const std::string& log) const;

 private:
  std::string place_of(const std::string& commit) const;
  void prepare(const std::string& tree) const;

  const Repository& repository_;
  BuildCommand command_;
  const std::atomic<bool>& stop_;
};

}  // namespace harness::entries
