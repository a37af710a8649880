// SPDX-License-Identifier: Apache-2.0
// Variants as a scenario has them: its claims beside the policies of its target, which makes no
// claims.
#pragma once

#include <vector>

#include "harness/base.h"
#include "harness/scenario.h"

namespace harness {

/// Returns what makes the path of a variant. `policies()` are the target's rows of a name and a
/// maker, of which each variant in `variants()` is one, by its name.
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
