#include "harness/entries/libcuda/drawn.h"

#include <algorithm>

namespace harness::entries {

// In a quarter of the runs none fails, in another quarter two.
Drawn::Drawn(std::uint64_t seed, std::uint64_t failable_count)
    : walk_(seed), seed_(mix(seed, hash_name("failures"))) {
  const std::uint64_t count = failable_count == 0 ? 0 : mix(seed_, 0) % 4;
  for (std::uint64_t i = 0; i < (count + 1) / 2; ++i) fail_[i] = mix(seed_, 1 + i) % failable_count;
}

std::uint32_t Drawn::answer(const Question& question) {
  if (question.site != Site::failure) return walk_.answer(question);
  const std::uint64_t number = asked_++;
  if (std::ranges::find(fail_, number) == fail_.end()) return 0;
  return 1 + static_cast<std::uint32_t>(mix(seed_, ~number) % (question.option_count - 1));
}

}  // namespace harness::entries
