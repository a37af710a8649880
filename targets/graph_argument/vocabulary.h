// SPDX-License-Identifier: Apache-2.0
// Vocabulary: the types of a script's calls and facts.
#pragma once

#include <array>
#include <cstdint>

#include "harness/driver/runtime.h"

namespace targets::graph_argument {

/// Meaning of stream 0: CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM.
enum class DefaultStream : std::uint8_t { legacy, per_thread };
inline constexpr std::array<harness::Label, 2> kDefaultStreamLabels{"legacy", "per_thread"};

/// Result of a method, corresponding to a Python exception.
enum class Status : std::uint8_t {
  ok,
  name_error,     ///< The variable is empty.
  type_error,     ///< It holds another type.
  closed,         ///< The object was closed, or its owner is gone.
  driver_error,   ///< A CUDA call failed.
  update_failed,  ///< The executable cannot be updated to that definition.
  finalized,      ///< The interpreter no longer exists.
};
inline constexpr std::size_t kStatusCount = 7;
harness::Label to_label(Status status);

/// A global variable of the script, by number. Shared by all tasks, as a module's globals are.
using Variable = std::uint32_t;
inline constexpr std::uint32_t kVariableCount = 20;
inline constexpr Variable kNowhere = 0xffffffff;  ///< Does not store an added node.

enum class Kind : std::uint8_t {
  nothing,
  buffer,
  module,  ///< An ObjectCode, with its kernels.
  event,
  definition,  ///< A GraphDefinition: a root, a clone, or the body of a node.
  node,
  builder,
  graph,  ///< An executable.
};

/// The streams of a script. `fallback` is default_stream().
enum class StreamName : std::uint8_t { first, second, fallback };
inline constexpr std::uint32_t kStreamCount = 3;
/// Names all streams, for Device.sync().
inline constexpr auto kEveryStream = static_cast<StreamName>(kStreamCount);

enum class Kernel : std::uint8_t {
  add_one,          ///< first.out = first.in + 1
  saxpy,            ///< second.out = 1.5 * first.in + second.in
  block_sum,        ///< second.out = sums of blocks of first.in
  produce_consume,  ///< Two nodes: first.mid = 2 * first.in; second.out = first.mid + second.in
  chase,            ///< second.out = in of the last block of first's list; bare addresses.
};
inline constexpr std::uint32_t kKernelCount = 5;

/// Selects how a conditional node runs its branches.
enum class Condition : std::uint8_t { if_then, if_else, while_loop, switch_case };
inline constexpr std::uint32_t kConditionCount = 4;
inline constexpr std::uint32_t kBranchCount = 2;  ///< Maximum; if_then and while_loop have only
                                                  ///< one.

/// Selects the methods that a node's wrapper has.
enum class NodeKind : std::uint8_t {
  other,
  kernel,       ///< Has set_params and update_node.
  child,        ///< Has get_child.
  conditional,  ///< Has get_branch, even after the node was destroyed.
  allocation,   ///< Has add_free and add_scratch.
};
inline constexpr std::uint32_t kBlockWords = 64;  ///< Elements of each array of a block.

/// Action of a planted finalizer when the collector finds it.
enum class FinalizerAction : std::uint8_t {
  drop,     ///< del victim
  close,    ///< victim.close(): a buffer
  collect,  ///< gc.collect()
};
inline constexpr std::uint32_t kFinalizerActionCount = 3;

/// A wrapper, by its birth, which is unique. None: no wrapper.
using Wrapper = harness::BirthId;

// ---- labels that the path gives to places and to kinds of objects ----
inline constexpr harness::Label kInterpreterKind = "interpreter";
inline constexpr harness::Label kFunctionKind = "function";
inline constexpr harness::Label kCycleKind = "cycle";
inline constexpr harness::Label kAccumulatorKind = "ExecAttachments";
inline constexpr harness::Label kBufferEndSite = "Buffer.__dealloc__";
inline constexpr harness::Label kBufferCloseSite = "Buffer.close";
inline constexpr harness::Label kModuleEndSite = "ObjectCode.__dealloc__";
inline constexpr harness::Label kEventEndSite = "Event.__dealloc__";
inline constexpr harness::Label kBuilderEndSite = "GraphBuilder.end_building";
inline constexpr harness::Label kBuilderCloseSite = "GraphBuilder.close";

/// Content of a buffer's block, as read back.
struct Contents {
  std::array<std::int32_t, kBlockWords> in;
  std::array<std::int32_t, kBlockWords> mid;
  std::array<std::int32_t, kBlockWords> out;
  std::uint64_t next;
};

/// Calls that only some versions of cuda.core have.
struct Api {
  bool takes_operands = true;       ///< memcpy() and memset() take buffers; if not, addresses.
  bool changes_nodes = true;        ///< set_params()
  bool changes_executables = true;  ///< update_node()
  bool clones = true;               ///< clone()
  bool moves_deallocation = true;   ///< set_deallocation_stream()
};

/// Kinds of node. The kernels come first, in the order of Entry.
enum class Work : std::uint8_t {
  add_one,
  saxpy,
  block_sum,
  produce,
  consume,
  chase,
  captured,
  scratch,
  leave,
  copy,
  set,
  record,
  wait,
  callback,
  allocation,
  free,
  child,  // Kinds from here on contain graphs.
  if_then,
  if_else,
  while_loop,
  switch_case,
};
inline constexpr std::size_t kWorkCount = 21;
constexpr bool is_kernel(Work work) { return work <= Work::leave; }
/// Returns whether add_kernel() adds it, so that its buffers can be changed.
constexpr bool takes_buffers(Work work) { return work <= Work::chase; }
constexpr bool is_conditional(Work work) { return work >= Work::if_then; }

}  // namespace targets::graph_argument
