// SPDX-License-Identifier: Apache-2.0
#include "harness/report/findings.h"

#include <algorithm>

namespace harness::reports {

std::vector<std::string> VariantRow::signatures() const {
  std::vector<std::string> distinct;
  for (const FindingRow& finding : findings)
    if (std::find(distinct.begin(), distinct.end(), finding.signature) == distinct.end())
      distinct.push_back(finding.signature);
  return distinct;
}

namespace {

template <class Count>
std::uint64_t sum_of(const std::vector<WindowCell>& cells, Count count) {
  std::uint64_t sum = 0;
  for (const WindowCell& cell : cells) sum += count(cell);
  return sum;
}

}  // namespace

std::uint64_t VariantRow::strayed() const {
  return sum_of(windows, [](const WindowCell& cell) { return cell.arrivals.strayed; });
}

std::uint64_t VariantRow::unexplained() const {
  return sum_of(windows, [](const WindowCell& cell) {
    return cell.unexplained ? cell.arrivals.caught : std::uint64_t{0};
  });
}

}  // namespace harness::reports
