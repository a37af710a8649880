// SPDX-License-Identifier: Apache-2.0
// Sample: the ops of a tape, mostly with their arguments, under other choices drawn at random.
//
// A draw depends only on the seed and the choice, so a sample is as repeatable as a tape.
#pragma once

#include <cstdint>

#include "harness/core/pick/replay.h"

namespace harness {

class Sample final : public Strategy {
 public:
  /// Replays the ops of `program` under other choices, drawn from `seed`.
  void assign(const Tape& program, std::uint64_t seed) {
    program_.assign(program);
    seed_ = mix(0, seed);
    mood_ = seed % 4;
  }
  void begin() override { program_.begin_run(); }

  std::uint32_t answer(const Question& question) override {
    const std::uint32_t value = program_.value(question.activation, question.site, question.nth);
    const std::uint64_t draw =
        mix(mix(seed_, question.activation), site_tag(question.site) * 0x10000u + question.nth);
    if (question.site == Site::op || (question.site == Site::argument && draw % 4 != 0))
      return value == 0 ? 0 : question.index(value);
    if (!leaves(question.site, draw)) return 0;
    return static_cast<std::uint32_t>((draw >> 32) % question.option_count);
  }

 private:
  /// Returns whether to deviate from the default. Sites without a probability are uniform, or
  /// deviate seldom, as drawn for each run.
  bool leaves(Site site, std::uint64_t draw) const {
    const Ratio usual = kSites[raw(site)].chance;
    const std::uint64_t kDraws = std::uint64_t{1} << 24;
    const std::uint64_t low = draw % kDraws;
    if (usual.numerator != 0) return low * usual.denominator < usual.numerator * kDraws;
    return mood_ < 2 || low < kDraws >> (2 * mood_ - 2);
  }

  TapeIndex program_;
  std::uint64_t seed_ = 0;
  std::uint64_t mood_ = 0;
};

}  // namespace harness
