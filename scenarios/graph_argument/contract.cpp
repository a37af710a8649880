#include "scenarios/graph_argument/contract.h"

#include "harness/fault/kinds.h"

namespace scenarios::graph_argument {

using harness::Fault;
using harness::FaultKind;

// The node has the address of what was closed, whoever lives there later.
bool comes_of(const Fault& fault, const Fault& callers) {
  const bool is_use =
      fault.kind == FaultKind::use_after_death || fault.kind == FaultKind::recycled_use;
  return is_use && callers.kind == FaultKind::recycled_use &&
         fault.captured == callers.activation && fault.use_site == callers.use_site;
}

}  // namespace scenarios::graph_argument
