// A shared slot was read for one generation and held another's words, right by luck or not. Found
// in passing, by the words themselves (harness/shared.h).
#include "harness/scenario.h"

namespace harness::oracles {

extern const OracleInfo ghost_generation;
const OracleInfo ghost_generation{
    "ghost_generation",
    "a shared slot read for one generation held another's words, right by luck or not",
    fault_kinds(FaultKind::ghost_generation), nullptr};

}  // namespace harness::oracles
