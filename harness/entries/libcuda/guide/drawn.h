// Drawn: answers from a seed, of a run of someone's program: a random walk, but that one call
// fails or two, as most programs give up at the first that does, and in a quarter of the runs
// nothing is forced.
#pragma once

#include <array>
#include <cstdint>

#include "harness/strategies/random_walk.h"

namespace harness::entries {

/// Failures, and what is forced, have their own draws: a run without any is the run of the same
/// seed in which none is asked for. Threads: confined to one thread.
class Drawn final : public Strategy {
 public:
  /// `failable_count` calls of a run may fail, about.
  Drawn(std::uint64_t seed, std::uint64_t failable_count);

  void begin() override { walk_.begin(); }
  std::uint32_t answer(const Question& question) override;

 private:
  std::uint32_t forced(const Question& question);
  std::uint32_t turn(const Question& question);

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  strategies::RandomWalk walk_;
  std::uint64_t seed_;
  std::uint64_t asked_ = 0;           ///< This many calls might have failed.
  std::uint64_t asked_for_turn_ = 0;  ///< This many turns of threads,
  std::uint64_t asked_to_force_ = 0;  ///< this many questions were forced,
  std::uint64_t forced_ = 0;          ///< and this many were not answered by default.
  std::array<std::uint64_t, 2> fail_{kNever, kNever};  ///< Those that do, by their number.
};

}  // namespace harness::entries
