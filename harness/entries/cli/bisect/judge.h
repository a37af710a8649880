// SPDX-License-Identifier: Apache-2.0
// Judge: whether the program of a revision shows what a reproducer shows.
//
// It shows it where the recorded schedule ends in the same fault, or in one of the same kind: a
// site may have another name there. If that schedule ends in no fault, it may just be another
// one, so that a search has the last word; how many runs that takes is measured on a revision that
// shows it. An op that a revision does not know is taken by its other name, if there is one.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/entries/cli/bisect/subject.h"

namespace harness::entries {

/// A search has this many times the runs within which it is found where it is. Found in one of
/// those on average, it is missed with a chance of exp(-kCare).
inline constexpr std::uint64_t kCare = 10;

enum class Standing : std::uint8_t { shown, absent, unknown };

struct Judgement {
  Standing standing = Standing::unknown;
  std::string how;         ///< "as recorded", or why no one can tell.
  bool by_search = false;  ///< More than the recorded schedule was looked at.
};

/// Lifetime: it borrows `stop`.
class Judge {
 public:
  /// `folder` is where files for the programs go.
  Judge(std::string file, Subject subject, std::string folder, const std::atomic<bool>& stop);

  /// Measures on a program that shows it how many runs of a search find it; at most `most`.
  void calibrate(const std::string& program, std::uint64_t most);
  /// Judges a program.
  Judgement judge(const std::string& program);

  /// Returns within how many runs a search finds it where it is; none if it does not.
  std::optional<std::uint64_t> found_within() const { return found_within_; }
  /// Returns in how many runs it must not be found; 0 if nothing searches.
  std::uint64_t search_runs() const;

 private:
  struct Shown {
    bool could_run = false;
    std::string why;                   ///< It could not.
    std::set<std::string> signatures;  ///< The faults that were found.
  };

  Shown replay(const std::string& program, const std::string& file);
  Shown search(const std::string& program, std::uint64_t runs);
  Shown run(const std::vector<std::string>& command);
  std::string renamed(const std::string& program);
  std::set<std::string> ops_of(const std::string& program);
  bool is_known(const std::set<std::string>& signatures) const;

  std::string file_;
  Subject subject_;
  std::string folder_;
  const std::atomic<bool>& stop_;
  std::set<std::string> names_;  ///< Signatures that the fault goes by.
  std::set<std::string> ops_;    ///< Those of the revision on which it was calibrated.
  std::optional<std::uint64_t> found_within_;
};

}  // namespace harness::entries
