// SPDX-License-Identifier: Apache-2.0
// Suggest: the known name that a user most likely meant.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace harness::entries {

/// Returns the number of insertions, deletions, substitutions and transpositions of adjacent
/// letters that turn one word into the other. Source: Damerau 1964, as optimal string alignment.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1,
                                             std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const bool same = from[i - 1] == to[j - 1];
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + !same});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

/// Returns the most similar of `names`; "" if none is similar enough. Long words are not compared.
inline std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t kLengthLimit = 64;
  std::string best;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  if (name.size() > kLengthLimit) return best;
  for (const std::string& known : names) {
    const bool longer = !name.empty() && name.size() >= 3 && known.starts_with(name);
    const std::size_t distance = longer ? 1 : edit_distance(name, known);
    if (distance >= least) continue;
    least = distance;
    best = known;
  }
  return best;
}

/// Returns "; did you mean 'fuzz'?", or "" if no name is similar.
inline std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  const std::string meant = nearest(name, names);
  return meant.empty() ? "" : "; did you mean '" + meant + "'?";
}

}  // namespace harness::entries
