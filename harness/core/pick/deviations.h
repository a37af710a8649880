// SPDX-License-Identifier: Apache-2.0
// Deviations: a fixed tape, and every set of at most k further choices, one run for each set.
//
// Stateless and depth-first. A run records the choices that came up after its last deviation. Each
// other option of each of them extends the set by one. A further choice comes up in the run that
// lacks it, so every set whose choices all come up is tried. A choice that came up earlier is never
// added later, so each set is tried once.
//
// Source: stateless search as in VeriSoft (Godefroid 1997), bounded by deviations from the default
// instead of by preemptions as in CHESS (Musuvathi and Qadeer 2007).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pick/replay.h"

namespace harness {

class Deviations final : public Strategy {
 public:
  /// Begins with the base tape itself. Choices on the base tape, and those of sites outside
  /// `sites`, are not deviated from.
  void assign(const Tape& base, std::uint32_t limit, Sites sites = kAllSites & ~kProgramSites);

  void begin() override;
  std::uint32_t answer(const Question& question) override;

  /// Advances to the next set; returns false if there is none. With `extend` off, skips every set
  /// that contains the one just run.
  bool advance(bool extend = true);

  /// Returns the number of further choices of the current set.
  std::size_t depth() const { return depth_; }
  /// Returns those choices, in the order in which they come up.
  std::span<const Decision> chosen() const { return {chosen_.data(), depth_}; }
  std::uint32_t limit() const { return limit_; }
  /// Returns the choices that extend the last set by one, in the order in which they came up; none
  /// at the limit.
  const std::vector<Decision>& candidates() const;
  /// Returns the number of choices of the base run at which a deviation was possible.
  std::size_t base_question_count() const { return base_question_count_; }

 private:
  struct Level {
    std::vector<Decision> candidates;  ///< Choices that extend the set of this size by one.
    std::size_t next = 0;
  };

  void record(const Question& question);

  TapeIndex base_;
  Sites sites_ = 0;
  std::uint32_t limit_ = 0;
  std::size_t depth_ = 0;
  std::size_t met_ = 0;           ///< Number of choices of the set that came up so far.
  std::vector<Decision> chosen_;  ///< The set, in the order in which its choices come up.
  std::vector<Level> levels_;     ///< One per size of set below the limit.
  std::size_t base_question_count_ = 0;
};

}  // namespace harness
