// Variants: the target's policies, each with what its author claims.
#pragma once

#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

std::span<const harness::VariantInfo> variants();
/// Makes the path of the variant with this index.
Maker maker_of(std::size_t variant);

}  // namespace scenarios::graph_argument
