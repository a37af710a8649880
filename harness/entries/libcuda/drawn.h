// Drawn: answers from a seed, of a run of somebody's program: a random walk, but that one call
// fails or two, as most programs give up at the first that does.
#pragma once

#include <array>
#include <cstdint>

#include "harness/strategies/random_walk.h"

namespace harness::entries {

/// Failures have draws of their own: a run in which no call fails is the run of the same seed
/// without them. Threads: confined to one thread.
class Drawn final : public Strategy {
 public:
  /// `failable_count` calls of a run may fail, about.
  Drawn(std::uint64_t seed, std::uint64_t failable_count);

  void begin() override { walk_.begin(); }
  std::uint32_t answer(const Question& question) override;

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  strategies::RandomWalk walk_;
  std::uint64_t seed_;
  std::uint64_t asked_ = 0;                            ///< So many calls might have failed.
  std::array<std::uint64_t, 2> fail_{kNever, kNever};  ///< Those that do, by their number.
};

}  // namespace harness::entries
