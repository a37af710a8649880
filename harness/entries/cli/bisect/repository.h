// SPDX-License-Identifier: Apache-2.0
// Repository: the revisions of a bisection, as git reports them. They are checked out in a separate
// worktree below build/, so that the user's working tree stays untouched.
//
// Errors: std::runtime_error with git's last line.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "harness/process/process.h"

namespace harness::entries {

/// Lifetime: borrows `stop`.
class Repository {
 public:
  /// Opens the repository of the current folder.
  explicit Repository(const std::atomic<bool>& stop);

  /// Returns the root folder of the repository.
  const std::string& root() const { return root_; }
  /// Returns the folder for files of a bisection: the worktree, builds, logs.
  std::string folder() const { return root_ + "/build/bisect"; }
  /// Returns the worktree.
  std::string tree() const { return folder() + "/tree"; }

  /// Returns the commit that a revision names, in 40 digits.
  std::string commit_of(const std::string& revision) const;
  /// Returns the hash of a commit's tree: equal for commits with the same content.
  std::string content_of(const std::string& commit) const;
  /// Returns the commit's abbreviated hash and subject.
  std::string words_of(const std::string& commit) const;
  bool is_ancestor(const std::string& older, const std::string& newer) const;

  /// Checks a commit out in the worktree, which is created if necessary.
  void check_out(const std::string& commit) const;

  /// Begins a bisection between two commits, of which `older` is an ancestor of `newer`.
  void begin(const std::string& older, const std::string& newer);
  /// Returns whether another commit must be judged; it is checked out then.
  bool goes_on() const { return left_.empty(); }
  /// Returns the commit that is checked out.
  std::string current() const;
  /// The result for the current commit: like the older end, like the newer one, or untestable.
  enum class Answer : std::uint8_t { older, newer, untestable };
  void answer(Answer answer);
  /// Returns the commits that may be the first like the newer end: one, unless its neighbours are
  /// untestable.
  const std::vector<std::string>& left() const { return left_; }
  /// Ends git's bisection. The worktree stays.
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
