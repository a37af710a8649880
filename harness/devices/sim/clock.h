// Clock: a vector clock over the lines of device work: how much of each line comes before.
//
// A line is a chain of work in which each piece comes after the one before it: a stream, or a
// branch of a graph that is launched. Lines get small numbers in the order in which they first have
// work, so that a clock is as long as the run has lines and no longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace harness::devices {

using LineIndex = std::uint32_t;
inline constexpr LineIndex kNoLine = ~LineIndex{0};

/// One piece of work: the `tick`-th of its line.
struct OrderPoint {
  LineIndex line = kNoLine;
  std::uint32_t tick = 0;
  bool operator==(const OrderPoint&) const = default;
};

/// Ownership: keeps its storage when it is cleared.
class Clock {
 public:
  void clear() { ticks_.clear(); }
  bool empty() const { return ticks_.empty(); }

  /// How many of the line's pieces of work come before.
  std::uint32_t of(LineIndex line) const { return line < ticks_.size() ? ticks_[line] : 0; }
  bool includes(const OrderPoint& point) const { return of(point.line) >= point.tick; }

  void include(const OrderPoint& point) {
    if (point.line >= ticks_.size()) ticks_.resize(point.line + std::size_t{1});
    ticks_[point.line] = std::max(ticks_[point.line], point.tick);
  }

  void join(const Clock& other) {
    if (other.ticks_.size() > ticks_.size()) ticks_.resize(other.ticks_.size());
#pragma clang loop vectorize(disable) unroll(disable)  // Most runs have one line, or two.
    for (std::size_t i = 0; i < other.ticks_.size(); ++i)
      ticks_[i] = std::max(ticks_[i], other.ticks_[i]);
  }

 private:
  std::vector<std::uint32_t> ticks_;  ///< By line.
};

}  // namespace harness::devices
