// SPDX-License-Identifier: Apache-2.0
// Variants of a scenario: its claims, combined with the policies of its target, which makes no
// claims.
#pragma once

#include <vector>

#include "harness/base/base.h"
#include "harness/run/scenario/scenario.h"

namespace harness {

/// Returns the function that makes the path of a variant. `policies()` are the target's rows of a
/// name and a maker. Each variant in `variants()` must be one of them.
template <auto policies, auto variants>
auto find_maker(std::size_t variant) {
  using Maker = decltype(policies().front().make);
  static const std::vector<Maker> makers = [] {
    std::vector<Maker> list;
    for (const VariantInfo& info : variants())
      for (const auto& policy : policies())
        if (policy.name == info.name) list.push_back(policy.make);
    HARNESS_CHECK(list.size() == variants().size(), "each variant is a policy of the target");
    return list;
  }();
  return makers[variant];
}

}  // namespace harness
