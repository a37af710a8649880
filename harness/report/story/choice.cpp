// SPDX-License-Identifier: Apache-2.0
#include "harness/report/story/choice.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace harness::reports {
namespace {

class Choice {
 public:
  Choice(std::span<const Line> lines, std::span<const std::size_t> heights, std::size_t room)
      : lines_(lines), heights_(heights), room_(room), shown_(lines.size(), true) {}

  std::vector<ChosenLine> make() {
    if (height() > room_) leave_out([](const Line& line) { return line.weight == Weight::noise; });
    if (height() > room_) {
      leave_out([](const Line& line) { return !line.is_end; });
      fill();
    }
    return chosen();
  }

 private:
  template <class Which>
  void leave_out(Which which) {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (which(lines_[i])) shown_[i] = false;
  }

  /// Selects lines in the order of their rank, later ones first.
  void fill() {
    constexpr std::size_t kMissLimit = 8;
    std::vector<std::size_t> order(lines_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return std::tuple(rank(a), a) > std::tuple(rank(b), b);
    });
    std::size_t misses = 0;
    for (const std::size_t index : order) {
      if (rank(index) == 0 || misses == kMissLimit) break;
      if (shown_[index]) continue;
      shown_[index] = true;
      if (height() <= room_) continue;
      shown_[index] = false;
      ++misses;
    }
  }

  /// Other faults have a low rank, because they usually result from the same bug.
  int rank(std::size_t index) const {
    switch (lines_[index].weight) {
      case Weight::noise:
        return 0;
      case Weight::minor:
        return 1;
      case Weight::light:
        return 2;
      case Weight::fault:
        return 3;
      case Weight::op:
        return 4;
      case Weight::concerned:
        return 5;
    }
    return 0;
  }

  std::vector<ChosenLine> chosen() const {
    std::vector<ChosenLine> chosen;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (shown_[i]) chosen.push_back({i, std::exchange(left_out, 0)});
      if (!shown_[i] && lines_[i].weight != Weight::noise) ++left_out;
    }
    return chosen;
  }

  std::size_t height() const {
    std::size_t rows = 0;
    for (const ChosenLine& line : chosen()) rows += heights_[line.index] + (line.left_out > 0);
    return rows;
  }

  std::span<const Line> lines_;
  std::span<const std::size_t> heights_;
  std::size_t room_;
  std::vector<bool> shown_;
};

}  // namespace

std::vector<ChosenLine> chosen_lines(std::span<const Line> lines,
                                     std::span<const std::size_t> heights, std::size_t room) {
  return Choice(lines, heights, room).make();
}

}  // namespace harness::reports
