// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/drawn.h"

#include <algorithm>

#include "harness/client/border/forced.h"
#include "harness/client/border/report.h"
#include "harness/client/inside/libcuda/thread_options.h"

namespace harness::entries {

// No call fails in a quarter of the runs, two fail in another quarter, and one in the other half.
Drawn::Drawn(std::uint64_t seed, std::uint64_t failable_count)
    : walk_(seed), seed_(mix(seed, hash_name("failures"))) {
  const std::uint64_t count = failable_count == 0 ? 0 : mix(seed_, 0) % 4;
  for (std::uint64_t i = 0; i < (count + 1) / 2; ++i) fail_[i] = mix(seed_, 1 + i) % failable_count;
}

std::uint32_t Drawn::answer(const Question& question) {
  if (client::is_forced(question.activation)) return forced(question);
  const auto* threads = dynamic_cast<const ThreadOptions*>(question.options);
  if (threads != nullptr && threads->is_turn()) return turn(question);
  if (question.site == client::kTimeLimit) return time_limit(question);
  if (question.site != Site::failure) return walk_.answer(question);
  const std::uint64_t number = asked_++;
  if (std::ranges::find(fail_, number) == fail_.end()) return 0;
  return 1 + static_cast<std::uint32_t>(mix(seed_, ~number) % (question.option_count - 1));
}

// Nothing is forced in a quarter of the runs. The others force this many of 64 choices.
std::uint32_t Drawn::forced(const Question& question) {
  constexpr std::array<std::uint64_t, 4> kShares{0, 1, 8, 32};
  constexpr std::uint64_t kMost = 256;  // Each may be a collection, which is slow.
  const std::uint64_t seed = mix(seed_, hash_name("forced"));
  const std::uint64_t draw = mix(seed, asked_to_force_++);
  if (draw % 64 >= kShares[seed % 4] || forced_ == kMost) return 0;
  ++forced_;
  return 1 + static_cast<std::uint32_t>(draw / 64 % (question.option_count - 1));
}

// No time limit passes in half of the runs. In the others, one, two or four pass, at rates that
// differ because the number of choices while a thread waits differs from program to program.
std::uint32_t Drawn::time_limit(const Question& question) {
  constexpr std::array<std::uint64_t, 8> kOneIn{0, 0, 0, 0, 3, 12, 64, 512};
  constexpr std::array<std::uint64_t, 4> kMost{1, 1, 2, 4};
  const std::uint64_t seed = mix(seed_, hash_name("time limits"));
  const std::uint64_t one_in = kOneIn[seed % kOneIn.size()];
  const std::uint64_t draw = mix(seed, asked_for_limit_++);
  if (one_in == 0 || draw % one_in != 0 || passed_limits_ == kMost[seed / 8 % kMost.size()])
    return 0;
  ++passed_limits_;
  return 1 + static_cast<std::uint32_t>(draw / one_in % (question.option_count - 1));
}

// Few preemptions suffice for most bugs. So each run draws its rate of preemptions: this many of
// 1024 turns. The default run has none. Source: probabilistic concurrency testing (Burckhardt et
// al. 2010), which also preempts rarely.
std::uint32_t Drawn::turn(const Question& question) {
  constexpr std::array<std::uint64_t, 8> kShares{4, 16, 64, 128, 256, 384, 512, 640};
  const std::uint64_t seed = mix(seed_, hash_name("turns"));
  const std::uint64_t draw = mix(seed, asked_for_turn_++);
  if (draw % 1024 >= kShares[seed % kShares.size()]) return 0;
  return 1 + static_cast<std::uint32_t>(draw / 1024 % (question.option_count - 1));
}

}  // namespace harness::entries
