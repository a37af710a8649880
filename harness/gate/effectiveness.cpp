// SPDX-License-Identifier: Apache-2.0
// How it works. A measure turns the result of a search in a window into a wait: the number of runs
// to the first fault, the number to minimize it, or its final size. The searches of a variant are a
// block, and its windows are the strata. All tests of a comparison share its level (holm.h).
#include "harness/gate/effectiveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/gate/holm.h"

namespace harness::gate {
namespace {

using Searches = std::vector<SearchSample>;
using Rows = std::vector<EffectivenessRow>;
using Waits = std::vector<std::optional<Wait>>;

struct Measure {
  const char* name;
  bool has_factor;
  std::optional<Wait> (*wait)(const FirstFault& first, std::uint64_t limit);
};

Wait ended(std::uint64_t count) { return {static_cast<double>(count), true}; }

std::optional<Wait> runs_to_fault(const FirstFault& first, std::uint64_t limit) {
  return first.run > 0 ? ended(first.run) : Wait{static_cast<double>(limit), false};
}

std::optional<Wait> minimizer_runs(const FirstFault& first, std::uint64_t /*limit*/) {
  return first.minimized ? std::optional(ended(first.minimized->runs)) : std::nullopt;
}

std::optional<Wait> reproducer_size(const FirstFault& first, std::uint64_t /*limit*/) {
  return first.minimized ? std::optional(ended(first.minimized->size)) : std::nullopt;
}

constexpr Measure kMeasures[] = {{"runs to the first fault", true, runs_to_fault},
                                 {"minimizer runs", false, minimizer_runs},
                                 {"reproducer size", false, reproducer_size}};

/// A variant of both sides, with the windows of both.
struct Shared {
  std::string variant;
  const Searches& base;
  const Searches& head;
  std::vector<std::string> windows;
};

/// The common part of both sides, and a row for each variant or window of one side only.
struct Matched {
  std::vector<Shared> shared;
  Rows alone;
};

EffectivenessRow row_alone(std::string name, Verdict verdict) {
  EffectivenessRow row;
  row.name = std::move(name);
  row.verdict = verdict;
  return row;
}

/// Adds a row for each key of only one map. Returns the keys of both.
template <class Map>
std::vector<std::string> keys_of_both(const Map& these, const Map& others,
                                      const std::string& prefix, Rows& alone) {
  std::vector<std::string> both;
  for (const auto& [key, value] : these)
    if (others.contains(key))
      both.push_back(key);
    else
      alone.push_back(row_alone(prefix + key, Verdict::gone));
  for (const auto& [key, value] : others)
    if (!these.contains(key)) alone.push_back(row_alone(prefix + key, Verdict::added));
  return both;
}

Matched match(const SideSample& base, const SideSample& head) {
  Matched matched;
  for (const std::string& variant : keys_of_both(base.variants, head.variants, "", matched.alone)) {
    const Searches& mine = base.variants.at(variant);
    const Searches& other = head.variants.at(variant);
    if (mine.empty() || other.empty()) continue;
    std::vector<std::string> windows =
        keys_of_both(mine.front().windows, other.front().windows, variant + " ", matched.alone);
    matched.shared.push_back({variant, mine, other, std::move(windows)});
  }
  return matched;
}

Waits waits_of(const Searches& searches, const std::string& window, const Measure& measure,
               std::uint64_t limit) {
  Waits waits;
  waits.reserve(searches.size());
  for (const SearchSample& search : searches)
    waits.push_back(measure.wait(search.windows.at(window), limit));
  return waits;
}

Stratum stratum_of(const Shared& shared, const std::string& window, const Measure& measure,
                   std::uint64_t limit) {
  return {waits_of(shared.base, window, measure, limit),
          waits_of(shared.head, window, measure, limit)};
}

/// Returns the geometric mean, on which an extreme wait has little influence; 0 if there are none.
double mean(const std::vector<Block>& blocks, Waits Stratum::* side) {
  double sum = 0, count = 0;
  for (const Block& block : blocks)
    for (const Stratum& stratum : block)
      for (const std::optional<Wait>& wait : stratum.*side)
        if (wait) {
          sum += std::log(std::max(wait->time, 1.0));
          ++count;
        }
  return count > 0 ? std::exp(sum / count) : 0;
}

/// A test that is not yet judged.
struct Test {
  EffectivenessRow row;
  std::vector<Block> blocks;
};
using Tests = std::vector<Test>;

Test test_of(std::string name, const Measure& measure, std::vector<Block> blocks) {
  Test test{{}, std::move(blocks)};
  test.row.name = std::move(name);
  test.row.has_factor = measure.has_factor;
  test.row.base = mean(test.blocks, &Stratum::base);
  test.row.head = mean(test.blocks, &Stratum::head);
  test.row.rank = log_rank(test.blocks);
  return test;
}

/// Returns a test for each measure over all windows, except measures without data.
Tests tests_of_all(const std::vector<Shared>& shared, std::uint64_t limit) {
  Tests tests;
  for (const Measure& measure : kMeasures) {
    std::vector<Block> blocks;
    for (const Shared& variant : shared) {
      Block& block = blocks.emplace_back();
      for (const std::string& window : variant.windows)
        block.push_back(stratum_of(variant, window, measure, limit));
    }
    tests.push_back(test_of(measure.name, measure, std::move(blocks)));
    if (!measure.has_factor && tests.back().row.base == 0) tests.pop_back();
  }
  return tests;
}

/// Returns a test for each window of each variant, of the runs to its first fault.
Tests tests_of_each(const std::vector<Shared>& shared, std::uint64_t limit) {
  Tests tests;
  const Measure& measure = kMeasures[0];
  for (const Shared& variant : shared)
    for (const std::string& window : variant.windows)
      tests.push_back(test_of(variant.variant + " " + window, measure,
                              {{stratum_of(variant, window, measure, limit)}}));
  return tests;
}

/// The parameters of each test of a comparison.
struct TestTerms {
  double level;
  std::uint64_t limit;
  std::uint64_t searches;
};

Verdict verdict_of(bool is_longer, bool is_shorter, const EffectivenessRow& row,
                   std::uint64_t searches) {
  if (is_longer) return Verdict::slower;
  if (is_shorter) return Verdict::faster;
  if (!row.has_factor) return row.head > 0 ? Verdict::pass : Verdict::gone;
  const bool is_seen = row.wanted_searches > 0 && row.wanted_searches <= searches;
  return is_seen ? Verdict::pass : Verdict::undecided;
}

/// Returns the number of searches of each variant that detects the rule's factor.
std::uint64_t wanted_searches(const Test& test, const EffectivenessRule& rule,
                              const TestTerms& terms) {
  const double times = times_for(rule.factor, static_cast<double>(terms.limit), terms.level,
                                 rule.power, test.blocks);
  if (!std::isfinite(times)) return 0;
  return static_cast<std::uint64_t>(std::ceil(times * static_cast<double>(terms.searches)));
}

void judge(Tests& tests, const EffectivenessRule& rule, TestTerms terms) {
  std::vector<double> longer, shorter;
  for (const Test& test : tests) {
    longer.push_back(test.row.rank.p_longer());
    shorter.push_back(test.row.rank.p_shorter());
  }
  const std::vector<bool> is_longer = holm(longer, rule.level);
  const std::vector<bool> is_shorter = holm(shorter, rule.level);
  terms.level = rule.level / static_cast<double>(std::max<std::size_t>(1, tests.size()));
  for (std::size_t i = 0; i < tests.size(); ++i) {
    EffectivenessRow& row = tests[i].row;
    if (row.has_factor) row.wanted_searches = wanted_searches(tests[i], rule, terms);
    row.verdict = verdict_of(is_longer[i], is_shorter[i], row, terms.searches);
  }
}

void require_comparable(const SideSample& base, const SideSample& head) {
  if (base.strategy != head.strategy || base.limit != head.limit)
    throw std::runtime_error(
        fmt::format("the base searched with {} and at most {} runs, the head with {} and {}",
                    base.strategy, base.limit, head.strategy, head.limit));
  const SideSample& lower = base.first <= head.first ? base : head;
  const SideSample& upper = base.first <= head.first ? head : base;
  if (lower.first + lower.search_count() > upper.first)
    throw std::runtime_error(
        fmt::format("base and head share the search number {}: equal seeds give equal runs, which "
                    "prove nothing",
                    upper.first));
}

}  // namespace

std::uint64_t SideSample::search_count() const {
  std::uint64_t most = 0;
  for (const auto& [variant, searches] : variants)
    most = std::max<std::uint64_t>(most, searches.size());
  return most;
}

std::vector<EffectivenessRow> compare(const SideSample& base, const SideSample& head,
                                      const EffectivenessRule& rule) {
  require_comparable(base, head);
  Matched matched = match(base, head);
  Tests tests = rule.each_window ? tests_of_each(matched.shared, base.limit)
                                 : tests_of_all(matched.shared, base.limit);
  judge(tests, rule, {rule.level, base.limit, std::min(base.search_count(), head.search_count())});
  Rows rows = std::move(matched.alone);
  for (Test& test : tests) rows.push_back(std::move(test.row));
  return rows;
}

}  // namespace harness::gate
