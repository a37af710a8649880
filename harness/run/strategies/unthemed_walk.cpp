// SPDX-License-Identifier: Apache-2.0
// Unthemed walk: the random walk without guidance. Every run allows everything, and options that
// are listed several times count once.
//
// It shows the value of a scenario's themes and multipliers: if a fault takes it ten times as many
// runs, the scenario's author has guided the search to that fault.
#include <bit>
#include <utility>
#include <vector>

#include "harness/core/pick/theme_options.h"
#include "harness/run/strategies/random_walk.h"
#include "harness/run/tables.h"

namespace harness::strategies {
namespace {

/// The options of a choice, in the order in which they are first listed, with options of equal
/// value listed once. Lifetime: borrows the options until the next assign().
class EachOnce final : public Options {
 public:
  void assign(const Question& question) {
    options_ = question.options;
    indices_.clear();
    seen_.assign(std::bit_ceil(std::size_t{2} * question.option_count), 0);
    for (std::uint32_t index = 0; index < question.option_count; ++index)
      if (is_new(question.value(index))) indices_.push_back(index);
  }

  std::uint32_t value(std::uint32_t index) const override {
    return options_->value(indices_[index]);
  }
  Access access(std::uint32_t index) const override { return options_->access(indices_[index]); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(indices_.size()); }
  /// Returns the index of the option among all.
  std::uint32_t listed_at(std::uint32_t index) const { return indices_[index]; }

 private:
  /// 0 is the default option, and also an empty entry of the table.
  bool is_new(std::uint32_t value) {
    std::size_t place = value & (seen_.size() - 1);
    while (seen_[place] != 0 && seen_[place] != value) place = (place + 1) & (seen_.size() - 1);
    return value == 0 || std::exchange(seen_[place], value) != value;
  }

  const Options* options_ = nullptr;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint32_t> seen_;  ///< A hash table, at most half full.
};

class UnthemedWalk final : public Strategy {
 public:
  explicit UnthemedWalk(std::uint64_t seed) : walk_(seed) {}

  void begin() override { walk_.begin(); }

  std::uint32_t answer(const Question& question) override {
    if ((kProgramSites & site_bit(question.site)) == 0 || question.options == nullptr)
      return walk_.answer(question);
    if (dynamic_cast<const ThemeOptions*>(question.options) != nullptr) return 0;
    once_.assign(question);
    if (once_.count() == 1) return 0;
    return once_.listed_at(
        walk_.answer({question.activation, question.site, question.nth, once_.count(), &once_}));
  }

 private:
  RandomWalk walk_;
  EachOnce once_;
};

}  // namespace

extern const StrategyInfo unthemed_walk;
const StrategyInfo unthemed_walk{
    "unthemed_walk",
    "random_walk without the themes of a scenario, and each offered operation with equal weight",
    [](std::uint64_t seed) -> std::unique_ptr<Strategy> {
      return std::make_unique<UnthemedWalk>(seed);
    }};

}  // namespace harness::strategies
