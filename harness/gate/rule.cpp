// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/rule.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/base/base.h"
#include "harness/gate/holm.h"

namespace harness::gate {

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 7> kNames{"pass",      "faster", "slower", "undecided",
                                                   "too noisy", "new",    "gone"};
  return kNames[raw(verdict)];
}

Terms Rule::terms(std::size_t rounds, std::size_t suite_size) const {
  constexpr double kLeast = kFirstResamples, kMost = 400'000;
  const double wanted = 2 * static_cast<double>(suite_size) / tail();
  return {.tail = tail(),
          .margin = std::log1p(slower_by),
          .resamples = static_cast<std::uint32_t>(std::clamp(wanted, kLeast, kMost)),
          .seed = mix(seed, rounds)};
}

std::vector<Verdict> judge(std::span<const Estimate> estimates, const Rule& rule) {
  std::vector<double> slower, faster;
  slower.reserve(estimates.size());
  faster.reserve(estimates.size());
  for (const Estimate& one : estimates) {
    slower.push_back(one.p_slower);
    faster.push_back(one.p_faster);
  }
  const std::vector<bool> is_slower = holm(slower, rule.tail());
  const std::vector<bool> is_faster = holm(faster, rule.tail());
  std::vector<Verdict> verdicts;
  verdicts.reserve(estimates.size());
  for (std::size_t i = 0; i < estimates.size(); ++i)
    verdicts.push_back(is_slower[i]                                   ? Verdict::slower
                       : is_faster[i]                                 ? Verdict::faster
                       : estimates[i].high < std::log1p(rule.allowed) ? Verdict::pass
                                                                      : Verdict::undecided);
  return verdicts;
}

Verdict last_verdict(const Estimate& estimate, const Rule& rule) {
  return estimate.noise_floor() > std::log1p(rule.allowed) ? Verdict::too_noisy
                                                           : Verdict::undecided;
}

}  // namespace harness::gate
