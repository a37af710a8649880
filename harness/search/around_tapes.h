// SPDX-License-Identifier: Apache-2.0
// Around tapes: answers as one of many tapes does, and leaves it now and then for another strategy.
//
// The first runs are the tapes as they are, one after the other. Each later one draws its tape, and
// how it leaves it: with one of a few chances at every question, or in all that is no part of the
// program. So a search is pointed to what is hard to get to by chance, once some run has got there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/pick/replay.h"

namespace harness::searching {

/// The n-th run is a function of (seed, n), the tapes and the strategy.
/// Ownership: owns the strategy and copies of the tapes. Threads: confined to one thread.
class AroundTapes final : public Strategy {
 public:
  AroundTapes(std::unique_ptr<Strategy> otherwise, std::span<const Tape> tapes, std::uint64_t seed);

  void begin() override;
  std::uint32_t answer(const Question& question) override;

 private:
  std::unique_ptr<Strategy> otherwise_;
  std::vector<TapeIndex> tapes_;
  std::uint64_t seed_;
  std::uint64_t run_ = 0;
  std::uint64_t state_ = 0;
  TapeIndex* tape_ = nullptr;       ///< The one of this run.
  std::uint32_t leave_chance_ = 0;  ///< Out of 2^32, at questions that the tape is to answer.
  Sites left_ = 0;                  ///< Sites that the tape is not asked about.
};

}  // namespace harness::searching
