// SPDX-License-Identifier: Apache-2.0
// Deviations as a search strategy: draws a program, then runs it with every set of few further
// choices before it draws the next. Finds bugs that need an exact schedule rather than a complex
// one.
#include "harness/core/pick/deviations.h"

#include "harness/run/strategies/random_walk.h"
#include "harness/run/tables.h"

namespace harness::strategies {
namespace {

class ProgramDeviations final : public Strategy {
 public:
  explicit ProgramDeviations(std::uint64_t seed) : walk_(seed) {}

  void begin() override {
    if (run_ == 1) sets_.assign(program_, kDecisionLimit);
    if (run_ > 1 && (run_ > kRunLimit || !sets_.advance())) run_ = 0;
    if (run_++ == 0) {
      program_.clear();
      walk_.begin();
    } else {
      sets_.begin();
    }
  }

  std::uint32_t answer(const Question& question) override {
    return run_ == 1 ? draw(question) : sets_.answer(question);
  }

 private:
  static constexpr std::uint32_t kDecisionLimit = 2;
  static constexpr std::uint32_t kRunLimit = 300;

  // For the first run of a program: draws the ops and arguments. Everything else is the default.
  std::uint32_t draw(const Question& question) {
    if ((kProgramSites & site_bit(question.site)) == 0) return 0;
    const std::uint32_t index = walk_.answer(question);
    if (index != 0)
      program_.push_back(
          {question.activation, site_tag(question.site), question.nth, question.value(index)});
    return index;
  }

  RandomWalk walk_;
  Tape program_;
  Deviations sets_;
  std::uint32_t run_ = 0;  ///< The number of the run of this program; 0 = draw a program.
};

}  // namespace

extern const StrategyInfo deviations;
const StrategyInfo deviations{
    "deviations", "a random program, then every set of at most 2 choices that perturb it",
    [](std::uint64_t seed) -> std::unique_ptr<Strategy> {
      return std::make_unique<ProgramDeviations>(seed);
    }};

}  // namespace harness::strategies
