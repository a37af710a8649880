// SPDX-License-Identifier: Apache-2.0
// Judge: decides whether the program of a revision shows the fault of a reproducer.
//
// A program shows it if the recorded schedule ends in the same fault, or in one of the same kind,
// because names of sites may differ between revisions. If that schedule ends without a fault,
// another schedule may still show it, so a search decides. Its number of runs is measured on a
// revision that shows the fault. An op that a revision does not have is replaced by its former
// name, if there is one.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/entries/cli/bisect/subject.h"

namespace harness::entries {

/// Factor between the runs after which a search found the fault and the runs of later searches. If
/// the fault is found once in the former on average, a search misses it with probability
/// exp(-kCare).
inline constexpr std::uint64_t kCare = 10;

enum class Standing : std::uint8_t { shown, absent, unknown };

struct Judgement {
  Standing standing = Standing::unknown;
  std::string how;         ///< "as recorded", or the reason why it is unknown.
  bool by_search = false;  ///< A search was made, because the recorded schedule was not enough.
};

/// Lifetime: borrows `stop`.
class Judge {
 public:
  /// `folder`: where files for the programs are written.
  Judge(std::string file, Subject subject, std::string folder, const std::atomic<bool>& stop);

  /// Measures how many runs of a search find the fault with a program that shows it; at most
  /// `most`.
  void calibrate(const std::string& program, std::uint64_t most);
  /// Decides whether this program shows the fault.
  Judgement judge(const std::string& program);

  /// Returns the number of runs within which the search of calibrate() found it; nothing if it did
  /// not.
  std::optional<std::uint64_t> found_within() const { return found_within_; }
  /// Returns the number of runs in which the fault must not occur; 0 if no search is made.
  std::uint64_t search_runs() const;

 private:
  struct Shown {
    bool could_run = false;
    std::string why;                   ///< The reason why it could not run.
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
  std::set<std::string> names_;  ///< Signatures that the fault has in different revisions.
  std::set<std::string> ops_;    ///< Ops of the revision on which it was calibrated.
  std::optional<std::uint64_t> found_within_;
};

}  // namespace harness::entries
