// SPDX-License-Identifier: Apache-2.0
// Around tapes: follows one of many tapes, and occasionally deviates from it with another strategy.
//
// The first runs replay the tapes, one after the other. Each later run draws its tape and how to
// deviate from it: with a fixed probability at every choice, or in all choices that are not part of
// the program. This directs a search towards states that are hard to reach by chance, once some run
// has reached them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/pick/replay.h"

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
  TapeIndex* tape_ = nullptr;       ///< The tape of this run.
  std::uint32_t leave_chance_ = 0;  ///< Probability of a deviation, out of 2^32.
  Sites left_ = 0;                  ///< Sites for which the tape is not used.
};

}  // namespace harness::searching
