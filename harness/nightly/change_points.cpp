// SPDX-License-Identifier: Apache-2.0
// How it works. In each segment, the best cut is the position where both sides differ most, by
// their energy distance. The best cut of all is tested: values are shuffled within their segments,
// and the cut is accepted if hardly any shuffled series has one as good. Then its segment is split,
// and so on until a cut is rejected.
#include "harness/nightly/change_points.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/base/base.h"

namespace harness::nightly {
namespace {

/// A position to cut at, and the distance between both sides.
struct Cut {
  std::size_t index = 0;
  double distance = -1;
};

/// The accepted cuts as ends of segments: 0, ..., the number of values.
using Ends = std::vector<std::size_t>;

double sum_of_distances(std::span<const double> values, double from) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value - from);
  return sum;
}

/// Finds the best cut of one segment. Moving a value from the right side to the left changes three
/// sums of distances: within the left side, within the right side, and between them.
Cut best_cut(std::span<const double> values, std::size_t least) {
  const std::size_t count = values.size();
  Cut best;
  if (count < 2 * least) return best;
  double left = 0, right = 0, between = 0;
  for (std::size_t i = 0; i < count; ++i) right += sum_of_distances(values.subspan(i), values[i]);
  for (std::size_t i = 1; i + least <= count; ++i) {
    const double moved = values[i - 1];
    const double to_left = sum_of_distances(values.first(i - 1), moved);
    const double to_right = sum_of_distances(values.subspan(i), moved);
    left += to_left;
    right -= to_right;
    between += to_right - to_left;
    if (i < least) continue;
    const auto m = static_cast<double>(i), n = static_cast<double>(count - i);
    const double energy =
        2 * between / (m * n) - left / (m * (m - 1) / 2) - right / (n * (n - 1) / 2);
    const double distance = energy * m * n / (m + n);
    if (distance > best.distance) best = {i, distance};
  }
  return best;
}

Cut best_cut(std::span<const double> values, const Ends& ends, std::size_t least) {
  Cut best;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const std::size_t begin = ends[i - 1];
    Cut cut = best_cut(values.subspan(begin, ends[i] - begin), least);
    cut.index += begin;
    if (cut.distance > best.distance) best = cut;
  }
  return best;
}

/// Shuffles values within their segments (Fisher and Yates).
class Shuffler {
 public:
  explicit Shuffler(std::uint64_t seed) : seed_(seed) {}

  void shuffle(std::vector<double>& values, const Ends& ends) {
    for (std::size_t segment = 1; segment < ends.size(); ++segment)
      for (std::size_t i = ends[segment] - 1; i > ends[segment - 1]; --i) {
        const std::size_t place = ends[segment - 1] + next() % (i + 1 - ends[segment - 1]);
        std::swap(values[i], values[place]);
      }
  }

 private:
  std::uint64_t next() { return mix(seed_, ++drawn_); }

  std::uint64_t seed_, drawn_ = 0;
};

/// Returns the probability that a shuffled series has a cut as good as this one; 1 if it exceeds
/// the level.
double chance_of(const Cut& cut, std::vector<double> values, const Ends& ends,
                 const ChangeRule& rule) {
  const auto all = static_cast<double>(rule.permutations + 1);
  Shuffler shuffler(mix(rule.seed, ends.size()));
  std::size_t as_good = 1;  // The series itself.
  for (std::size_t i = 0; i < rule.permutations; ++i) {
    shuffler.shuffle(values, ends);
    as_good += best_cut(values, ends, rule.least_values).distance >= cut.distance;
    if (static_cast<double>(as_good) > rule.level * all) return 1;
  }
  return static_cast<double>(as_good) / all;
}

double ratio_at(std::span<const double> values, const Ends& ends, std::size_t segment) {
  const auto median = [&](std::size_t begin, std::size_t end) {
    return median_of({values.begin() + static_cast<std::ptrdiff_t>(begin),
                      values.begin() + static_cast<std::ptrdiff_t>(end)});
  };
  return median(ends[segment], ends[segment + 1]) / median(ends[segment - 1], ends[segment]);
}

}  // namespace

double median_of(std::vector<double> values) {
  HARNESS_CHECK(!values.empty(), "a median is of something");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeRule& rule) {
  std::vector<double> logs;
  for (const double value : values) {
    HARNESS_CHECK(value > 0, "a series is of positive numbers");
    logs.push_back(std::log(value));
  }
  Ends ends{0, values.size()};
  std::vector<std::pair<std::size_t, double>> chances;
  for (;;) {
    const Cut cut = best_cut(logs, ends, rule.least_values);
    if (cut.distance <= 0) break;
    const double chance = chance_of(cut, logs, ends, rule);
    if (chance > rule.level) break;
    ends.insert(std::upper_bound(ends.begin(), ends.end(), cut.index), cut.index);
    chances.emplace_back(cut.index, chance);
  }
  std::sort(chances.begin(), chances.end());
  std::vector<ChangePoint> points;
  points.reserve(chances.size());
  for (std::size_t i = 0; i < chances.size(); ++i)
    points.push_back({chances[i].first, ratio_at(values, ends, i + 1), chances[i].second});
  return points;
}

}  // namespace harness::nightly
