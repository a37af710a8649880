// SPDX-License-Identifier: Apache-2.0
// Handles: cuda.core's counted C++ handles, one box per CUDA object. When the last holder releases
// a box, the policy destroys the CUDA object, now or later.
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
  capture,       ///< Ended by its stream, with the graph that it made.
  lone_capture,  ///< Ended by its stream. The graph that it made stays, with or without a holder.
};

/// A CUDA object without holders, and all that is needed to destroy it.
struct Garbage {
  ResourceKind kind;
  std::uint64_t handle;
  Shared<StreamBox> stream = {};  ///< Stream on which memory is freed.
  ThingId thing =
      ThingId::none;    ///< Thing that dies with it; set for memory, libraries and events.
  bool closed = false;  ///< Memory: the script closed it explicitly.
};

template <class Handle>
std::uint64_t bits_of(Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

/// Passes it to the policy, which destroys it or defers that.
void release(Core& core, Garbage garbage);
/// Destroys it. Errors are ignored, as in a destructor.
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
  bool owned;  ///< False for a default stream.
};

/// Stream-ordered memory, and the stream on which it will be freed.
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
  bool closed = false;  ///< The script closed it explicitly.
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

/// A policy's state for one graph or one executable.
struct Keeping {
  virtual ~Keeping() = default;
};

/// A graph: a root, which the box destroys, or one that belongs to a node of its parent.
struct GraphBox {
  GraphBox(Core& core, CUgraph graph, GraphId id, Shared<GraphBox> parent, CUgraphNode owner);
  ~GraphBox();
  GraphBox(const GraphBox&) = delete;
  GraphBox& operator=(const GraphBox&) = delete;

  Core& core;
  CUgraph graph;
  GraphId id;               ///< Id in facts.
  Shared<GraphBox> parent;  ///< Null for a root.
  CUgraphNode owner;        ///< Node of the parent that has it.
  bool orphaned = false;    ///< Owner was destroyed. Upstream knows if tombstones are set.
  std::pmr::vector<GraphBox*> children;  ///< Boxes of graphs inside its nodes.
  Keeping* keeping = nullptr;
};

struct ExecBox {
  ExecBox(Core& core, CUgraphExec exec, ExecId id) : core(core), exec(exec), id(id) {}
  ~ExecBox();
  ExecBox(const ExecBox&) = delete;
  ExecBox& operator=(const ExecBox&) = delete;

  Core& core;
  CUgraphExec exec;
  ExecId id;  ///< Id in facts.
  Keeping* keeping = nullptr;
};

}  // namespace targets::graph_argument
