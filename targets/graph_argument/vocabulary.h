// SPDX-License-Identifier: Apache-2.0
// Vocabulary: the types of a script's calls and facts.
#pragma once

#include <array>
#include <cstdint>

#include "harness/runtime.h"

namespace targets::graph_argument {

/// The meaning of stream 0: CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM.
enum class DefaultStream : std::uint8_t { legacy, per_thread };
inline constexpr std::array<harness::Label, 2> kDefaultStreamLabels{"legacy", "per_thread"};

/// The result of each method: what Python would raise.
enum class Status : std::uint8_t {
  ok,
  name_error,     ///< The variable is empty.
  type_error,     ///< It holds something else.
  closed,         ///< The object was closed, or what it belongs to is gone.
  driver_error,   ///< A CUDA call failed.
  update_failed,  ///< The executable cannot be updated to that definition.
  finalized,      ///< The interpreter no longer exists.
};
inline constexpr std::size_t kStatusCount = 7;
harness::Label to_label(Status status);

/// A global variable of the script, by number. Shared by all tasks, as a module's globals are.
using Variable = std::uint32_t;
inline constexpr std::uint32_t kVariableCount = 20;
inline constexpr Variable kNowhere = 0xffffffff;  ///< Where a node that is added is not stored.

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
/// Work that Device.sync() waits for.
inline constexpr auto kEveryStream = static_cast<StreamName>(kStreamCount);

enum class Kernel : std::uint8_t {
  add_one,          ///< first.out = first.in + 1
  saxpy,            ///< second.out = 1.5 * first.in + second.in
  block_sum,        ///< second.out = sums of blocks of first.in
  produce_consume,  ///< Two nodes: first.mid = 2 * first.in; second.out = first.mid + second.in
  chase,            ///< second.out = in of the last of first's list; bare addresses.
};
inline constexpr std::uint32_t kKernelCount = 5;

/// The way in which a conditional node runs its branches.
enum class Condition : std::uint8_t { if_then, if_else, while_loop, switch_case };
inline constexpr std::uint32_t kConditionCount = 4;
inline constexpr std::uint32_t kBranchCount = 2;  ///< Largest number of branches; if_then and
                                                  ///< while_loop have one.

/// Attributes of a node's wrapper.
enum class NodeKind : std::uint8_t {
  other,
  kernel,       ///< set_params and update_node take it.
  child,        ///< get_child
  conditional,  ///< get_branch, even when the node was destroyed.
  allocation,   ///< add_free and add_scratch
};
inline constexpr std::uint32_t kBlockWords = 64;  ///< Elements of each array of a block.

/// The act of a planted finalizer when the collector gets to it.
enum class FinalizerAction : std::uint8_t {
  drop,     ///< del victim
  close,    ///< victim.close(): a buffer
  collect,  ///< gc.collect()
};
inline constexpr std::uint32_t kFinalizerActionCount = 3;

/// A wrapper, by its birth, which no other has. None: nothing.
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

/// All that a buffer's block holds, as it was read back.
struct Contents {
  std::array<std::int32_t, kBlockWords> in;
  std::array<std::int32_t, kBlockWords> mid;
  std::array<std::int32_t, kBlockWords> out;
  std::uint64_t next;
};

/// The calls that a version of cuda.core has, of those that not all have.
struct Api {
  bool takes_operands = true;  ///< memcpy() and memset() take buffers; else addresses, as numbers.
  bool changes_nodes = true;   ///< set_params()
  bool changes_executables = true;  ///< update_node()
  bool clones = true;               ///< clone()
  bool moves_deallocation = true;   ///< set_deallocation_stream()
};

/// Kinds of node. The kernels come first, as Entry has them.
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
/// A kernel that add_kernel() adds: its buffers can be changed.
constexpr bool takes_buffers(Work work) { return work <= Work::chase; }
constexpr bool is_conditional(Work work) { return work >= Work::if_then; }

}  // namespace targets::graph_argument
