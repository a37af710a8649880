// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/answers.h"

#include <algorithm>
#include <utility>

#include "harness/core/pick/deviations.h"

namespace harness::client {
namespace {

/// Draws the choices of each run from a separate seed.
class RandomWalk final : public Answers {
 public:
  explicit RandomWalk(std::uint64_t seed) : seed_(seed) {}

  bool next(Orders& orders) override {
    orders.draws = number_ != 0;
    orders.seed = mix(mix(0, seed_), number_++);
    orders.failable_count = failable_count_;
    return true;
  }
  void ran(const ClientRun& run) override {
    if (std::exchange(knows_plain_, true)) return;
    for (const Report& report : run.reports) failable_count_ += report.failable_count;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t number_ = 0;
  std::uint64_t failable_count_ = 0;  ///< Number of calls that may fail in the default run.
  bool knows_plain_ = false;
};

/// The options of a choice that was offered to a process.
class ToldOptions final : public Options {
 public:
  explicit ToldOptions(const AskedQuestion& asked) : asked_(asked) {}
  std::uint32_t value(std::uint32_t index) const override {
    return index == 0 ? 0 : asked_.values[index - 1];
  }

 private:
  const AskedQuestion& asked_;
};

/// Tries every single choice, then every pair. The processes report which choices were offered to
/// them, and these determine the next set.
class EverySet final : public Answers {
 public:
  EverySet() { sets_.assign({}, limit_); }

  bool next(Orders& orders) override {
    if (has_run_ && !sets_.advance() && !begin_larger()) return false;
    const std::span<const Decision> chosen = sets_.chosen();
    orders.tape.assign(chosen.begin(), chosen.end());
    orders.asks = sets_.depth() < limit_;
    return true;
  }

  void ran(const ClientRun& run) override {
    has_run_ = true;
    sets_.begin();
    for (const Report& report : run.reports)
      for (const AskedQuestion& asked : report.asked) {
        const ToldOptions options(asked);
        sets_.answer({asked.activation, asked.site, asked.nth,
                      static_cast<std::uint32_t>(asked.values.size() + 1), &options});
      }
  }

  unsigned tried_whole() const override { return tried_whole_; }

 private:
  static constexpr unsigned kLimit = 2;

  /// All sets of at most `limit_` choices were tried. Larger sets start over with the same choices.
  bool begin_larger() {
    tried_whole_ = limit_;
    if (limit_ == kLimit) return false;
    sets_.assign({}, ++limit_);
    return true;
  }

  Deviations sets_;
  unsigned limit_ = 1;
  unsigned tried_whole_ = 0;
  bool has_run_ = false;
};

constexpr AnswersInfo kAnswers[] = {
    {"random_walk", "every choice at random, with a different distribution in each run", false,
     [](std::uint64_t seed) -> std::unique_ptr<Answers> {
       return std::make_unique<RandomWalk>(seed);
     }},
    {"deviations", "every single choice that is not the default, then every pair", true,
     [](std::uint64_t) -> std::unique_ptr<Answers> { return std::make_unique<EverySet>(); }},
};

}  // namespace

std::span<const AnswersInfo> all_answers() { return kAnswers; }

const AnswersInfo* find_answers(std::string_view name) {
  const auto* found = std::ranges::find(kAnswers, name, &AnswersInfo::name);
  return found != std::end(kAnswers) ? found : nullptr;
}

}  // namespace harness::client
