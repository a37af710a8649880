// SPDX-License-Identifier: Apache-2.0
// Variants: the target's policies, each with what its author claims.
#pragma once

#include "scenarios/example/scenario.h"

namespace scenarios::example {

std::span<const harness::VariantInfo> variants();
/// Makes the server of the variant with this index.
Maker maker_of(std::size_t variant);

}  // namespace scenarios::example
