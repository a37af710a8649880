// SPDX-License-Identifier: Apache-2.0
// Repository: the revisions that a bisection goes through, as git says. They are checked out in a
// worktree of their own, below build/, so that nothing that something works on is touched.
//
// Errors: std::runtime_error with git's last line.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "harness/process/process.h"

namespace harness::entries {

/// Lifetime: it borrows `stop`.
class Repository {
 public:
  /// That of the current folder.
  explicit Repository(const std::atomic<bool>& stop);

  /// Returns its folder.
  const std::string& root() const { return root_; }
  /// Returns the folder of what a bisection leaves: the worktree, builds, logs.
  std::string folder() const { return root_ + "/build/bisect"; }
  /// Returns the worktree.
  std::string tree() const { return folder() + "/tree"; }

  /// Returns the commit that a revision means, in 40 digits.
  std::string commit_of(const std::string& revision) const;
  /// Returns the name of all that a commit holds: equal for commits that differ in nothing.
  std::string content_of(const std::string& commit) const;
  /// Returns its first digits and its subject.
  std::string words_of(const std::string& commit) const;
  bool is_ancestor(const std::string& older, const std::string& newer) const;

  /// Checks a commit out in the worktree, which is made if there is none.
  void check_out(const std::string& commit) const;

  /// Begins between two commits, an ancestor first.
  void begin(const std::string& older, const std::string& newer);
  /// Returns whether a commit between them is still to be looked at; it is checked out then.
  bool goes_on() const { return left_.empty(); }
  /// Returns the commit that is checked out.
  std::string current() const;
  /// Says of the current commit that it is as the older end, or as the newer one, or untestable.
  enum class Answer : std::uint8_t { older, newer, untestable };
  void answer(Answer answer);
  /// Returns the commits that may be the first that is as the newer end: one, unless the ones next
  /// to it are untestable.
  const std::vector<std::string>& left() const { return left_; }
  /// Has git forget the bisection; the worktree stays.
  void end() const;

 private:
  ProcessEnd git(const std::vector<std::string>& arguments) const;
  std::string line(const std::vector<std::string>& arguments) const;
  std::string line_in_tree(std::vector<std::string> arguments) const;
  void take(const ProcessEnd& ended);

  const std::atomic<bool>& stop_;
  std::string root_;
  std::vector<std::string> left_;
};

}  // namespace harness::entries
