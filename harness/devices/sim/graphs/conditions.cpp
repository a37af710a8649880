// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/conditions.h"

#include <algorithm>

namespace harness::devices {

void Conditions::begin() {
  conditions_.clear();
  storage_.begin();
}

static constexpr std::uint64_t kBase = handle_base(HandleKind::conditional);

Conditional& Conditions::add(const Graph& graph, unsigned default_value, bool assigns_default) {
  Conditional& made = storage_.next();
  conditions_.push_back(&made);
  made = {kBase | conditions_.size() << kHandleShift,
          &graph,
          nullptr,
          default_value,
          assigns_default,
          0,
          false};
  return made;
}

Conditional* Conditions::find(CUgraphConditionalHandle handle) {
  const std::uint64_t index = ((handle & ~kHandleMask) >> kHandleShift) - 1;
  const bool ours = (handle & kHandleMask) == kBase && index < conditions_.size();
  return ours && conditions_[index]->handle == handle ? conditions_[index] : nullptr;
}

bool Conditions::has_unused(const Graph& graph) const {
  return std::any_of(conditions_.begin(), conditions_.end(), [&](const Conditional* each) {
    return each->graph == &graph && each->node == nullptr;
  });
}

}  // namespace harness::devices
