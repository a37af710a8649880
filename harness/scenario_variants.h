// Variants as a scenario lists them: what a target's table says of each, without its maker.
#pragma once

#include <span>
#include <vector>

#include "harness/scenario.h"

namespace harness {

/// Returns the names and claims in the table that `variants` returns. They live as long as the process.
template <auto variants>
std::span<const VariantInfo> variant_infos() {
  static const std::vector<VariantInfo> infos = [] {
    std::vector<VariantInfo> list;
    for (const auto& variant : variants()) list.push_back({variant.name, variant.claim});
    return list;
  }();
  return infos;
}

}  // namespace harness
