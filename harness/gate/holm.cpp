// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/holm.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace harness::gate {

std::vector<bool> holm(std::span<const double> chances, double level) {
  std::vector<std::size_t> order(chances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return chances[a] != chances[b] ? chances[a] < chances[b] : a < b;
  });
  std::vector<bool> stands(chances.size(), false);
  std::size_t left = chances.size();
  for (const std::size_t i : order) {
    if (chances[i] > level / static_cast<double>(left)) break;
    stands[i] = true;
    --left;
  }
  return stands;
}

}  // namespace harness::gate
