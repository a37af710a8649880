// SPDX-License-Identifier: Apache-2.0
// Drawn: random choices from a seed for a run of a client. A random walk with three exceptions: at
// most two calls fail, because most programs give up at the first error; few time limits pass, for
// the same reason; and a quarter of the runs force nothing.
#pragma once

#include <array>
#include <cstdint>

#include "harness/run/strategies/random_walk.h"

namespace harness::entries {

/// Injected errors, time limits and forced choices are drawn separately: the other choices are the
/// same as in the run of the same seed without them. Threads: confined to one thread.
class Drawn final : public Strategy {
 public:
  /// `failable_count` is the approximate number of calls of a run that may fail.
  Drawn(std::uint64_t seed, std::uint64_t failable_count);

  void begin() override { walk_.begin(); }
  std::uint32_t answer(const Question& question) override;

 private:
  std::uint32_t forced(const Question& question);
  std::uint32_t turn(const Question& question);
  std::uint32_t time_limit(const Question& question);

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  strategies::RandomWalk walk_;
  std::uint64_t seed_;
  std::uint64_t asked_ = 0;                            ///< Number of choices whether a call fails.
  std::uint64_t asked_for_turn_ = 0;                   ///< Number of choices of the next thread.
  std::uint64_t asked_for_limit_ = 0;                  ///< Number of choices of a time limit.
  std::uint64_t passed_limits_ = 0;                    ///< Number of time limits that passed.
  std::uint64_t asked_to_force_ = 0;                   ///< Number of choices to force something.
  std::uint64_t forced_ = 0;                           ///< Number of forced actions so far.
  std::array<std::uint64_t, 2> fail_{kNever, kNever};  ///< Numbers of the calls that fail.
};

}  // namespace harness::entries
