// SPDX-License-Identifier: Apache-2.0
// Variants: the target's policies, each with its author's claim.
#pragma once

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

std::span<const harness::VariantInfo> variants();
/// Returns the maker of the path for the variant with this index.
Maker maker_of(std::size_t variant);

}  // namespace scenarios::alltoallv
