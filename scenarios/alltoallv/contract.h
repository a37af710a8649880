// SPDX-License-Identifier: Apache-2.0
// Contract: what the caller of a job does that the documentation leaves undefined: a fault in it is
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
