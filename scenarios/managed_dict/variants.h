// SPDX-License-Identifier: Apache-2.0
// Variants: the target's policies, each with what its author claims.
#pragma once

#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {

std::span<const harness::VariantInfo> variants();
/// Makes the path of the variant with this index.
Maker maker_of(std::size_t variant);

}  // namespace scenarios::managed_dict
