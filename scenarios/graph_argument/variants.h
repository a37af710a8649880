// SPDX-License-Identifier: Apache-2.0
// Variants: the target's policies, each with its author's claim.
#pragma once

#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

std::span<const harness::VariantInfo> variants();
/// Returns the calls that the variant with this index has.
const targets::graph_argument::Api& api_of(std::size_t variant);
/// Returns the maker of the path for the variant with this index.
Maker maker_of(std::size_t variant);

}  // namespace scenarios::graph_argument
