// SPDX-License-Identifier: Apache-2.0
// Contract: caller actions that the documentation leaves undefined. A fault caused by one is a
// caller error.
#pragma once

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

inline constexpr std::array<harness::ContractClause, 1> kContract{{
    {"exported memory", "", "",
     "cuda.h, cuIpcCloseMemHandle: freeing exported memory before importers close it is undefined; "
     "UCC never closes what it caches, and drivers keep the memory (ucx#10346)"},
}};

}  // namespace scenarios::alltoallv
