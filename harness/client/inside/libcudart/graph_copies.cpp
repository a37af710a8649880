// SPDX-License-Identifier: Apache-2.0
// Copy nodes of graphs: of slices, of a row, and from and to variables.
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/copies.h"
#include "harness/client/inside/libcudart/graph_params.h"
#include "harness/client/inside/libcudart/symbols.h"

using harness::cudart::Call;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;
using harness::cudart::one_row;
using harness::cudart::SymbolRange;

namespace {

/// The target of a copy's parameters: a new node, a node, or a node of an executable graph.
struct NewNode {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* after;
  size_t count;

  CUresult take(const CUDA_MEMCPY3D& copy, CUcontext context) const {
    return driver.cuGraphAddMemcpyNode(node, graph, after, count, &copy, context);
  }
};
struct KnownNode {
  cudaGraphNode_t node;

  CUresult take(const CUDA_MEMCPY3D& copy, CUcontext /*context*/) const {
    return driver.cuGraphMemcpyNodeSetParams(node, &copy);
  }
};
struct ExecNode {
  cudaGraphExec_t exec;
  cudaGraphNode_t node;

  CUresult take(const CUDA_MEMCPY3D& copy, CUcontext context) const {
    return driver.cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context);
  }
};

template <class Node>
cudaError_t give(const Node& node, const cudaMemcpy3DParms& copy) {
  CUDA_MEMCPY3D made{};
  if (const cudaError_t error = harness::cudart::to_driver(copy, made)) return error;
  CUcontext context = nullptr;
  const CUresult error = harness::cudart::node_context(context);
  return error_of(error != CUDA_SUCCESS ? error : node.take(made, context));
}

template <class Node>
cudaError_t give_slices(const Node& node, const cudaMemcpy3DParms* copy) {
  return in_context([&] { return copy != nullptr ? give(node, *copy) : cudaErrorInvalidValue; });
}

template <class Node>
cudaError_t give_row(const Node& node, void* target, const void* source, size_t bytes,
                     cudaMemcpyKind kind) {
  return in_context([&] { return give(node, one_row(target, source, bytes, kind)); });
}

template <class Node>
cudaError_t give_from_symbol(const Node& node, void* target, const SymbolRange& range,
                             cudaMemcpyKind kind) {
  return in_context([&] {
    void* source = nullptr;
    const cudaError_t error = range.find_source(kind, source);
    return error != cudaSuccess ? error : give(node, one_row(target, source, range.bytes, kind));
  });
}

template <class Node>
cudaError_t give_to_symbol(const Node& node, const SymbolRange& range, const void* source,
                           cudaMemcpyKind kind) {
  return in_context([&] {
    void* target = nullptr;
    const cudaError_t error = range.find_target(kind, target);
    return error != cudaSuccess ? error : give(node, one_row(target, source, range.bytes, kind));
  });
}

}  // namespace

// ---- slices -------------------------------------------------------------------------------------

CUDART_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* after, size_t count,
                                              const cudaMemcpy3DParms* copy) {
  const Call call("cudaGraphAddMemcpyNode");
  return give_slices(NewNode{node, graph, after, count}, copy);
}

CUDART_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* copy) {
  const Call call("cudaGraphMemcpyNodeGetParams");
  return in_context([&] {
    if (copy == nullptr) return cudaErrorInvalidValue;
    CUDA_MEMCPY3D found{};
    const CUresult error = driver.cuGraphMemcpyNodeGetParams(node, &found);
    return error != CUDA_SUCCESS ? error_of(error) : harness::cudart::from_driver(found, *copy);
  });
}

CUDART_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                    const cudaMemcpy3DParms* copy) {
  const Call call("cudaGraphMemcpyNodeSetParams");
  return give_slices(KnownNode{node}, copy);
}

CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaMemcpy3DParms* copy) {
  const Call call("cudaGraphExecMemcpyNodeSetParams");
  return give_slices(ExecNode{exec, node}, copy);
}

// ---- a row --------------------------------------------------------------------------------------

CUDART_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* after, size_t count,
                                                void* target, const void* source, size_t bytes,
                                                cudaMemcpyKind kind) {
  const Call call("cudaGraphAddMemcpyNode1D");
  return give_row(NewNode{node, graph, after, count}, target, source, bytes, kind);
}

CUDART_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* target,
                                                      const void* source, size_t bytes,
                                                      cudaMemcpyKind kind) {
  const Call call("cudaGraphMemcpyNodeSetParams1D");
  return give_row(KnownNode{node}, target, source, bytes, kind);
}

CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec,
                                                          cudaGraphNode_t node, void* target,
                                                          const void* source, size_t bytes,
                                                          cudaMemcpyKind kind) {
  const Call call("cudaGraphExecMemcpyNodeSetParams1D");
  return give_row(ExecNode{exec, node}, target, source, bytes, kind);
}

// ---- variables ----------------------------------------------------------------------------------

CUDART_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                        const cudaGraphNode_t* after, size_t count,
                                                        void* target, const void* symbol,
                                                        size_t bytes, size_t offset,
                                                        cudaMemcpyKind kind) {
  const Call call("cudaGraphAddMemcpyNodeFromSymbol");
  return give_from_symbol(NewNode{node, graph, after, count}, target, {symbol, bytes, offset},
                          kind);
}

CUDART_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* target,
                                                              const void* symbol, size_t bytes,
                                                              size_t offset, cudaMemcpyKind kind) {
  const Call call("cudaGraphMemcpyNodeSetParamsFromSymbol");
  return give_from_symbol(KnownNode{node}, target, {symbol, bytes, offset}, kind);
}

CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec,
                                                                  cudaGraphNode_t node,
                                                                  void* target, const void* symbol,
                                                                  size_t bytes, size_t offset,
                                                                  cudaMemcpyKind kind) {
  const Call call("cudaGraphExecMemcpyNodeSetParamsFromSymbol");
  return give_from_symbol(ExecNode{exec, node}, target, {symbol, bytes, offset}, kind);
}

CUDART_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                      const cudaGraphNode_t* after, size_t count,
                                                      const void* symbol, const void* source,
                                                      size_t bytes, size_t offset,
                                                      cudaMemcpyKind kind) {
  const Call call("cudaGraphAddMemcpyNodeToSymbol");
  return give_to_symbol(NewNode{node, graph, after, count}, {symbol, bytes, offset}, source, kind);
}

CUDART_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                            const void* symbol, const void* source,
                                                            size_t bytes, size_t offset,
                                                            cudaMemcpyKind kind) {
  const Call call("cudaGraphMemcpyNodeSetParamsToSymbol");
  return give_to_symbol(KnownNode{node}, {symbol, bytes, offset}, source, kind);
}

CUDART_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, const void* symbol, const void* source,
    size_t bytes, size_t offset, cudaMemcpyKind kind) {
  const Call call("cudaGraphExecMemcpyNodeSetParamsToSymbol");
  return give_to_symbol(ExecNode{exec, node}, {symbol, bytes, offset}, source, kind);
}
