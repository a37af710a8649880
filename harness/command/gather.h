// SPDX-License-Identifier: Apache-2.0
// Gather: adds up the results of the searches of a session by path, and selects the one failure to
// print.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/command/exit_code.h"
#include "harness/report/findings.h"
#include "harness/report/terminal.h"
#include "harness/search/search.h"

namespace harness::entries {

/// A finding and the file of its reproducer.
struct Told {
  Finding finding;
  std::string file;
};

/// The file of a finding's reproducer; empty if none was written.
using FileOf = std::function<std::string(const Finding&)>;

class Gathered {
 public:
  /// `window`: the only window that counts; "" = all do.
  explicit Gathered(std::string window = {}) { findings_.window = std::move(window); }

  void add(const SearchResult& result, const FileOf& file_of);
  /// Notes that the user stopped the session.
  void stop() { findings_.stopped = true; }

  const reports::Findings& findings() const { return findings_; }
  /// Returns the exit code of the session.
  ExitCode exit_code() const;

  /// Returns the failure to print, or null: of a refuted claim if there is one; the one with the
  /// fewest choices.
  const Told* told() const { return told_.empty() ? nullptr : &told_.front(); }

  /// Returns the signatures whose replay differed, which is a bug of the harness.
  const std::vector<std::string>& nondeterministic() const { return nondeterministic_; }

 private:
  std::uint64_t add_exercised(const SearchResult& result);
  void add_windows(const SearchResult& result);
  void add_ops(const SearchResult& result);
  void consider(const Finding& finding, const std::string& file, bool surprising);

  reports::Findings findings_;
  std::vector<std::string> nondeterministic_;
  /// Runs that were not vacuous, per path and config.
  std::map<const Scenario*, std::map<std::string, std::uint64_t>> exercised_;
  std::vector<Told> told_;  ///< The failure to print; at most one.
  bool told_surprises_ = false;
};

/// Replays the finding's reproducer and prints its story.
std::string story_of(Runner& runner, const Finding& finding, const reports::Terminal& terminal);

/// Moves the fault with this signature to the front. Minimizing keeps the first fault.
void put_first(Reproducer& reproducer, const std::string& signature);

/// Returns which choices of `reproducer` the last run in `runner` never made, such as "2 choices
/// were never made: user:3 op store", or "".
std::string never_asked(const Runner& runner, const Reproducer& reproducer);

/// Returns the index of the fault with this signature, or 0.
std::size_t fault_index(const Outcome& outcome, std::string_view signature);

}  // namespace harness::entries
