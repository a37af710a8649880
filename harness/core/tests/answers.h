// SPDX-License-Identifier: Apache-2.0
// Answers: how a conformance test has the picks of the simulated driver answered.
//
// A rule that holds only while work is done at once is broken by the first device that lags. So
// each test of a rule runs several times: by default, with all work late, with streams going first,
// and by chance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "harness/core/pick/pick.h"

namespace harness::testing {

enum class Answers : std::uint8_t {
  plain,
  lagging,        ///< All work stays queued until something waits for it.
  streams_first,  ///< The same, and whatever can run instead of the current task does, last one
                  ///< first.
  random,         ///< By chance, with a fixed seed.
};

/// Answers choices of the order and the lateness of work. No error is injected, and no storage is
/// reused.
class OrderAnswers final : public Strategy {
 public:
  explicit OrderAnswers(Answers answers) : answers_(answers) {}

  void begin() override { draws_ = polls_ = 0; }
  std::uint32_t answer(const Question& question) override {
    const std::uint32_t last = question.option_count - 1;
    switch (answers_) {
      case Answers::plain:
        return 0;
      case Answers::lagging:
        if (question.site == Site::lag) return std::min(1u, last);
        // Work that nothing waits for is done at some time: a program may poll for it.
        return question.site == Site::schedule && ++polls_ % kPatience == 0 ? last : 0;
      case Answers::streams_first:
        if (question.site == Site::lag) return std::min(1u, last);
        return question.site == Site::schedule || question.site == Site::order ? last : 0;
      case Answers::random:
        return (kDrawn & site_bit(question.site)) != 0 ? draw(question.option_count) : 0;
    }
    return 0;
  }

 private:
  static constexpr Sites kDrawn = site_bit(Site::lag) | site_bit(Site::schedule) |
                                  site_bit(Site::order) | site_bit(Site::thread) |
                                  site_bit(Site::hold);
  std::uint32_t draw(std::uint32_t count) {
    return static_cast<std::uint32_t>((mix(kSeed, draws_++) >> 32) % count);
  }

  static constexpr std::uint64_t kSeed = 42;
  static constexpr std::uint64_t kPatience = 100;
  Answers answers_;
  std::uint64_t draws_ = 0;
  std::uint64_t polls_ = 0;
};

}  // namespace harness::testing
