// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/contract.h"

#include "harness/core/fault/kinds.h"

namespace scenarios::graph_argument {

using harness::Fault;
using harness::FaultKind;

// The node has the address of a closed buffer, at which another one is now. Nothing orders the end
// of that memory after the node's launches, because its owner does not know of them. Such a fault
// has the kernel, but not the node.
bool comes_of(const Fault& fault, const Fault& callers) {
  if (callers.kind != FaultKind::recycled_use || fault.use_site != callers.use_site) return false;
  if (fault.kind == FaultKind::data_race)
    return callers.death_site == targets::graph_argument::kBufferCloseSite;
  const bool is_use =
      fault.kind == FaultKind::use_after_free || fault.kind == FaultKind::recycled_use;
  return is_use && fault.captured == callers.activation;
}

}  // namespace scenarios::graph_argument
