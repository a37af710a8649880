// SPDX-License-Identifier: Apache-2.0
// KernelCall: cuda.core's ParamHolder: the arguments of a kernel, until the driver has copied the
// values.
#pragma once

#include "targets/graph_argument/script/frame.h"
#include "targets/graph_argument/script/graphs.h"

namespace targets::graph_argument {

/// A kernel's parameters, in the form that the driver will copy.
struct KernelCall {
  KernelCall() = default;
  KernelCall(const KernelCall&) = delete;  // Its members point at each other.
  KernelCall& operator=(const KernelCall&) = delete;

  CUDA_KERNEL_NODE_PARAMS params{};
  CUgraphConditionalHandle condition = 0;
  CUdeviceptr x = 0;
  CUdeviceptr y = 0;
  float a = kSaxpyFactor;
  std::array<void*, 3> addresses{};
  Things things{};
  Owners owners;
  std::array<harness::Ref, 2> buffers;  ///< Buffers whose addresses were copied.
};

/// Makes the tuple of the arguments, and fills in everything that does not depend on them.
Status begin_call(const Shared<ModuleBox>& module, Work work, KernelCall& call);
/// Fills in `call` for these buffers.
Status prepare_call(const Shared<ModuleBox>& module, Work work, const harness::Ref& first,
                    const harness::Ref& second, KernelCall& call);
/// Loads a kernel node and its new buffers. Common start of set_params and update_node.
Status load_change(Frame& frame, Variable node, Variable first, Variable second,
                   std::array<harness::Ref, 3>& loaded);
/// Called when CUDA has copied the values of `call`. Reports buffers that were closed after their
/// addresses were read.
void tell_closed(Core& core, Work work, const KernelCall& call);
/// Fills in `call` for other buffers of a kernel node.
Status prepare_change(const harness::Ref& node, const harness::Ref& first,
                      const harness::Ref& second, KernelCall& call);
/// Adds a kernel node.
Status add_called(const Place& place, const NodeFacts& facts, const KernelCall& call,
                  harness::Ref& made);

}  // namespace targets::graph_argument
