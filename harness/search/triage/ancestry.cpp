// SPDX-License-Identifier: Apache-2.0
#include "harness/search/triage/ancestry.h"

#include <algorithm>

namespace harness::triaging {

void Ancestry::begin() {
  read_count_ = 0;
  parents_.clear();
}

Name Ancestry::parent(Name activation) {
  const auto& records = history_.activations();
  for (; read_count_ < records.size(); ++read_count_)
    parents_.emplace(records[read_count_].name, records[read_count_].parent);
  const auto known = parents_.find(activation);
  return known != parents_.end() ? known->second : 0;
}

bool Ancestry::comes_from(Name activation, Name ancestor) {
  while (activation != 0 && activation != ancestor) activation = parent(activation);
  return activation != 0;
}

std::vector<Name> Ancestry::line(Name activation) {
  std::vector<Name> line;
  for (; activation != 0; activation = parent(activation)) line.push_back(activation);
  std::reverse(line.begin(), line.end());
  return line;
}

}  // namespace harness::triaging
