// SPDX-License-Identifier: Apache-2.0
// Variants: the target's policies, each with what its author claims.
#pragma once

#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

std::span<const harness::VariantInfo> variants();
/// The calls that the variant with this index has.
const targets::graph_argument::Api& api_of(std::size_t variant);
/// Makes the path of the variant with this index.
Maker maker_of(std::size_t variant);

}  // namespace scenarios::graph_argument
