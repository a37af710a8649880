#include "scenarios/graph_argument/model/names.h"

#include <algorithm>

namespace scenarios::graph_argument {

Wrapped& ModelNames::wrap(Kind kind) {
  wrapped_.push_back(world_.arena.make<Wrapped>());
  wrapped_.back()->kind = kind;
  return *wrapped_.back();
}

Wrapped* ModelNames::find(Wrapper wrapper) const {
  for (auto at = wrapped_.rbegin(); at != wrapped_.rend(); ++at)
    if ((*at)->wrapper == wrapper) return *at;
  return nullptr;
}

void ModelNames::store(Variable variable, Wrapped* wrapped) {
  variables_[variable] = wrapped;
  empty_ = wrapped != nullptr ? empty_ & ~bit(variable) : empty_ | bit(variable);
}

// A cycle refers to what it holds until the collector finds it.
bool ModelNames::is_referenced(const Wrapped& wrapped) const {
  const harness::Ledger& ledger = world_.ledger;
  return std::find(variables_.begin(), variables_.end(), &wrapped) != variables_.end() ||
         std::any_of(cycles_.begin(), cycles_.end(), [&](const Cycle& cycle) {
           return cycle.held == &wrapped && ledger.alive(cycle.life);
         });
}

}  // namespace scenarios::graph_argument
