// SPDX-License-Identifier: Apache-2.0
#include "harness/entries/cli/bisect/repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "harness/entries/cli/bisect/stopped.h"

namespace harness::entries {
namespace {

constexpr std::size_t kCommitDigits = 40;

/// Returns the last line that is not empty.
std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last, line;
  while (std::getline(lines, line))
    if (!line.empty()) last = line;
  return last;
}

bool is_commit(std::string_view word) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return word.size() == kCommitDigits && std::all_of(word.begin(), word.end(), is_digit);
}

/// Removes "fatal: " and "error: ", which concern git, because the line becomes ours.
std::string without_prefix(std::string line) {
  for (const std::string_view prefix : {"fatal: ", "error: "})
    if (line.starts_with(prefix)) line.erase(0, prefix.size());
  return line;
}

}  // namespace

Repository::Repository(const std::atomic<bool>& stop) : stop_(stop) {
  root_ = line({"rev-parse", "--show-toplevel"});
}

ProcessEnd Repository::git(const std::vector<std::string>& arguments) const {
  Command command{"git"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessEnd ended = run_process(command, {600, {"LC_ALL=C"}, kErrKept}, stop_);
  if (ended.stopped) throw BisectionStopped();
  return ended;
}

std::string Repository::line(const std::vector<std::string>& arguments) const {
  const ProcessEnd ended = git(arguments);
  if (ended.code != 0) {
    const std::string why = without_prefix(last_line(ended.err.empty() ? ended.out : ended.err));
    throw std::runtime_error(fmt::format("git {}: {}", arguments.front(), why));
  }
  return last_line(ended.out);
}

std::string Repository::line_in_tree(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"-C", tree()});
  return line(arguments);
}

std::string Repository::commit_of(const std::string& revision) const {
  const ProcessEnd ended =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (ended.code != 0) throw std::runtime_error(fmt::format("there is no revision '{}'", revision));
  return last_line(ended.out);
}

std::string Repository::content_of(const std::string& commit) const {
  return line({"rev-parse", commit + "^{tree}"});
}

std::string Repository::words_of(const std::string& commit) const {
  return line({"log", "-1", "--format=%h %s", "--abbrev=12", commit});
}

bool Repository::is_ancestor(const std::string& older, const std::string& newer) const {
  return git({"merge-base", "--is-ancestor", older, newer}).code == 0;
}

void Repository::check_out(const std::string& commit) const {
  if (std::filesystem::exists(tree() + "/.git")) {
    line_in_tree({"checkout", "--quiet", "--force", "--detach", commit});
    return;
  }
  line({"worktree", "prune"});
  line({"worktree", "add", "--quiet", "--force", "--detach", tree(), commit});
}

std::string Repository::current() const { return line_in_tree({"rev-parse", "HEAD"}); }

void Repository::begin(const std::string& older, const std::string& newer) {
  check_out(newer);
  take(git({"-C", tree(), "bisect", "start", newer, older}));
}

void Repository::answer(Answer answer) {
  const char* word = answer == Answer::older ? "good" : answer == Answer::newer ? "bad" : "skip";
  take(git({"-C", tree(), "bisect", word}));
}

/// git prints the remaining commits when the search has ended: a single one as "... is the first
/// bad commit", several with one line each.
void Repository::take(const ProcessEnd& ended) {
  std::istringstream lines(ended.out);
  std::string line;
  bool is_list = false;
  while (std::getline(lines, line)) {
    if (line.ends_with(" is the first bad commit"))
      left_ = {line.substr(0, kCommitDigits)};
    else if (line.starts_with("The first bad commit could be any of"))
      is_list = true;
    else if (is_list && is_commit(line))
      left_.push_back(line);
  }
  if (ended.code != 0 && left_.empty())
    throw std::runtime_error("git bisect: " + without_prefix(last_line(ended.err + ended.out)));
}

void Repository::end() const { line_in_tree({"bisect", "reset", "HEAD"}); }

}  // namespace harness::entries
