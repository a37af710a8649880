// SPDX-License-Identifier: Apache-2.0
// Clock: a vector clock over the lines of device work: how much of each line precedes.
//
// A line is a sequence of ordered pieces of work: a stream, or a branch of a launched graph. Lines
// are numbered in the order of their first work, so that a clock has no more entries than the run
// has lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace harness::devices {

using LineIndex = std::uint32_t;
inline constexpr LineIndex kNoLine = ~LineIndex{0};

/// Number of a staged copy (data_race.h), from 1 on in the order of calls; or a count of them.
using StagedCopies = std::uint32_t;

/// One piece of work: the `tick`-th of its line.
struct OrderPoint {
  LineIndex line = kNoLine;
  std::uint32_t tick = 0;
  bool operator==(const OrderPoint&) const = default;
};

/// Most runs have one or two lines, which need no allocated storage.
/// Ownership: keeps its storage when it is cleared.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = default;
  Clock(Clock&&) = default;
  Clock& operator=(Clock&&) = default;
  Clock& operator=(const Clock& other) {
    first_ = other.first_;
    if (!rest_.empty() || !other.rest_.empty()) [[unlikely]]
      rest_ = other.rest_;
    return *this;
  }
  ~Clock() = default;

  void clear() {
    first_.fill(0);
    rest_.clear();
  }

  bool empty() const {
    return rest_.empty() &&
           std::all_of(first_.begin(), first_.end(), [](std::uint32_t tick) { return tick == 0; });
  }

  /// Returns how many of the line's pieces of work precede.
  std::uint32_t of(LineIndex line) const {
    if (line < kFirst) return first_[line];
    return line - kFirst < rest_.size() ? rest_[line - kFirst] : 0;
  }
  bool includes(const OrderPoint& point) const { return of(point.line) >= point.tick; }
  /// Returns whether joining the other clock would change nothing.
  bool includes(const Clock& other) const {
    bool all = true;
    for (std::size_t i = 0; i < kFirst; ++i) all &= first_[i] >= other.first_[i];
    return all && (other.rest_.empty() || includes_rest(other));
  }

  void include(const OrderPoint& point) {
    std::uint32_t& tick = tick_of(point.line);
    tick = std::max(tick, point.tick);
  }

  void join(const Clock& other) {
    for (std::size_t i = 0; i < kFirst; ++i) first_[i] = std::max(first_[i], other.first_[i]);
    if (!other.rest_.empty()) [[unlikely]]
      join_rest(other);
  }

 private:
  static constexpr LineIndex kFirst = 4;

  std::uint32_t& tick_of(LineIndex line) {
    if (line < kFirst) return first_[line];
    if (line - kFirst >= rest_.size()) rest_.resize(line - kFirst + std::size_t{1});
    return rest_[line - kFirst];
  }
  bool includes_rest(const Clock& other) const {
    for (std::size_t i = 0; i < other.rest_.size(); ++i)
      if ((i < rest_.size() ? rest_[i] : 0) < other.rest_[i]) return false;
    return true;
  }
  void join_rest(const Clock& other) {
    if (other.rest_.size() > rest_.size()) rest_.resize(other.rest_.size());
    for (std::size_t i = 0; i < other.rest_.size(); ++i)
      rest_[i] = std::max(rest_[i], other.rest_[i]);
  }

  std::array<std::uint32_t, kFirst> first_{};  ///< By line.
  std::vector<std::uint32_t> rest_;            ///< By line, from kFirst on.
};

}  // namespace harness::devices
