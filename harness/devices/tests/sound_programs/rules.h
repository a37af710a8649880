// SPDX-License-Identifier: Apache-2.0
// Rules: the documented preconditions of programs, one row each, and the result of violating it: a
// fault, or the documented error.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "harness/core/fault/kinds.h"

namespace harness::testing::sound {

enum class Rule : std::uint16_t {
#define RULE(name, outcome, asks) name,
#include "harness/devices/tests/sound_programs/rules.def"
  none
};
inline constexpr std::size_t kRuleCount = raw(Rule::none);

struct Outcome {
  constexpr Outcome(FaultKinds any_of) : faults(any_of) {}
  constexpr Outcome(CUresult of) : error(of) {}
  FaultKinds faults = 0;  ///< Any of them: the same bug shows differently by how late the work is.
  CUresult error = CUDA_SUCCESS;
};

struct RuleInfo {
  const char* name;
  Outcome outcome;  ///< How a program ends that does not keep to it.
  const char* asks;
};

inline constexpr RuleInfo kRules[] = {
#define RULE(name, outcome, asks) {#name, outcome, asks},
#include "harness/devices/tests/sound_programs/rules.def"
};

}  // namespace harness::testing::sound
