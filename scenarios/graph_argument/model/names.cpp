// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/names.h"

#include <algorithm>
#include <utility>

namespace scenarios::graph_argument {

Wrapped& Names::wrap(Kind kind) {
  wrapped_.push_back(world_.arena.make<Wrapped>());
  wrapped_.back()->kind = kind;
  return *wrapped_.back();
}

Wrapped* Names::find(Wrapper wrapper) const {
  for (auto at = wrapped_.rbegin(); at != wrapped_.rend(); ++at)
    if ((*at)->wrapper == wrapper) return *at;
  return nullptr;
}

void Names::store(Variable variable, Wrapped* wrapped) {
  if (Wrapped* old = std::exchange(variables_[variable], wrapped); old != nullptr)
    --old->variable_count;
  if (wrapped != nullptr) ++wrapped->variable_count;
  empty_ = wrapped != nullptr ? empty_ & ~bit(variable) : empty_ | bit(variable);
}

// A cycle refers to its object until the collector finds it.
bool Names::is_referenced(const Wrapped& wrapped) const {
  const harness::Ledger& ledger = world_.ledger;
  return wrapped.variable_count != 0 || std::ranges::any_of(cycles_, [&](const Cycle& cycle) {
           return cycle.held == &wrapped && ledger.alive(cycle.life);
         });
}

}  // namespace scenarios::graph_argument
