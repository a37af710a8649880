// SPDX-License-Identifier: Apache-2.0
// Handles: cuda.core's counted C++ handles, one box per CUDA thing. The last holder's release hands
// the thing to the policy, which ends it now, or later.
#pragma once

#include <cuda.h>

#include "targets/graph_argument/layout.h"
#include "targets/graph_argument/shared.h"
#include "targets/graph_argument/witness.h"

namespace targets::graph_argument {

struct Core;
struct StreamBox;

enum class ResourceKind : std::uint8_t {
  memory,
  stream,
  event,
  library,
  graph,
  exec,
  user_object,
  capture,       ///< Closed by its stream, with what it has made.
  lone_capture,  ///< Closed by its stream. Objects that it made stay, with or without a holder.
};

/// A CUDA object without holders, with everything needed to end it.
struct Garbage {
  ResourceKind kind;
  std::uint64_t handle;
  Shared<StreamBox> stream = {};  ///< The stream on which memory is freed.
  ThingId thing =
      ThingId::none;    ///< The thing whose death it is, for memory, libraries and events.
  bool closed = false;  ///< Memory: whether the script has requested its end.
};

template <class Handle>
std::uint64_t bits_of(Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

/// The policy ends it, or keeps it for later.
void release(Core& core, Garbage garbage);
/// Ends it. Errors are ignored, as in a destructor.
void carry_out(Core& core, const Garbage& garbage);

struct StreamBox {
  StreamBox(Core& core, CUstream stream, bool owned) : core(core), stream(stream), owned(owned) {}
  ~StreamBox() {
    if (owned) release(core, {ResourceKind::stream, bits_of(stream)});
  }
  StreamBox(const StreamBox&) = delete;
  StreamBox& operator=(const StreamBox&) = delete;

  Core& core;
  CUstream stream;
  bool owned;  ///< Not a default stream.
};

/// Stream-ordered memory, and the stream on which it is going to be freed.
struct DevicePtr {
  DevicePtr(Core& core, CUdeviceptr address, Shared<StreamBox> stream, ThingId thing)
      : core(core), address(address), stream(std::move(stream)), thing(thing) {}
  ~DevicePtr() { release(core, {ResourceKind::memory, address, std::move(stream), thing, closed}); }
  DevicePtr(const DevicePtr&) = delete;
  DevicePtr& operator=(const DevicePtr&) = delete;

  Core& core;
  CUdeviceptr address;
  Shared<StreamBox> stream;
  ThingId thing;
  bool closed = false;  ///< Whether the script has requested its end.
};

/// A loaded library and its kernels: cuda.core's LibraryHandle, and the KernelHandles that hold it.
struct ModuleBox {
  ModuleBox(Core& core, CUlibrary library, ThingId thing)
      : core(core), library(library), thing(thing) {}
  ~ModuleBox() { release(core, {ResourceKind::library, bits_of(library), {}, thing}); }
  ModuleBox(const ModuleBox&) = delete;
  ModuleBox& operator=(const ModuleBox&) = delete;

  Core& core;
  CUlibrary library;
  ThingId thing;
  std::array<CUkernel, kEntryCount> kernels{};
};

struct EventBox {
  EventBox(Core& core, CUevent event, ThingId thing) : core(core), event(event), thing(thing) {}
  ~EventBox() { release(core, {ResourceKind::event, bits_of(event), {}, thing}); }
  EventBox(const EventBox&) = delete;
  EventBox& operator=(const EventBox&) = delete;

  Core& core;
  CUevent event;
  ThingId thing;
};

/// A policy's record of one graph, or of one executable.
struct Keeping {
  virtual ~Keeping() = default;
};

/// A graph: a root, which it destroys, or one that belongs to a node of its parent.
struct GraphBox {
  GraphBox(Core& core, CUgraph graph, GraphId id, Shared<GraphBox> parent, CUgraphNode owner);
  ~GraphBox();
  GraphBox(const GraphBox&) = delete;
  GraphBox& operator=(const GraphBox&) = delete;

  Core& core;
  CUgraph graph;
  GraphId id;               ///< Number in facts.
  Shared<GraphBox> parent;  ///< Null for a root.
  CUgraphNode owner;        ///< The child node of the parent.
  bool orphaned = false;    ///< The owner was destroyed. Known only where tombstones are set.
  std::pmr::vector<GraphBox*> children;  ///< Boxes of its nodes' graphs.
  Keeping* keeping = nullptr;
};

struct ExecBox {
  ExecBox(Core& core, CUgraphExec exec, ExecId id) : core(core), exec(exec), id(id) {}
  ~ExecBox();
  ExecBox(const ExecBox&) = delete;
  ExecBox& operator=(const ExecBox&) = delete;

  Core& core;
  CUgraphExec exec;
  ExecId id;  ///< Number in facts.
  Keeping* keeping = nullptr;
};

}  // namespace targets::graph_argument
