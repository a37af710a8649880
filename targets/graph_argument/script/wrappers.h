// SPDX-License-Identifier: Apache-2.0
// Wrappers: the managed objects of a script, by type, and what each wraps.
#pragma once

#include "targets/graph_argument/builder.h"
#include "targets/graph_argument/core.h"

namespace targets::graph_argument {

class Frame;

struct BufferPayload {
  ThingId thing;
  Shared<DevicePtr> memory;  ///< Null when closed.
};

struct ModulePayload {
  ThingId thing;
  Shared<ModuleBox> module;
};

struct EventPayload {
  ThingId thing;
  Shared<EventBox> event;  ///< Null when closed.
};

struct DefinitionPayload {
  Shared<GraphBox> graph;
};

struct NodePayload {
  Shared<GraphBox> graph;
  CUgraphNode node;
  NodeId id;  ///< For facts.
  Work work;
  Shared<ModuleBox> module;                       ///< Module of a kernel node.
  std::array<GraphId, kBranchCount> bodies = {};  ///< For facts: the graphs inside.
  bool destroyed = false;
  std::array<harness::Ref, kBranchCount> branches =
      {};                   ///< Branches of a conditional node: definitions.
  CUdeviceptr address = 0;  ///< Address of an allocation node.
};

struct BuilderPayload {
  Shared<BuilderBox> box;
};

struct GraphPayload {
  Shared<ExecBox> exec;  ///< Null when closed.
};

/// An object that refers to itself and to one wrapper.
struct CyclePayload {
  Core* core;
  ThingId thing;
};

/// Garbage with a __del__.
struct TrapPayload {
  Frame* frame;
  FinalizerAction action;
  Variable victim;
};

extern const harness::TypeInfo kBufferType;
extern const harness::TypeInfo kModuleType;
extern const harness::TypeInfo kEventType;
extern const harness::TypeInfo kDefinitionType;
extern const harness::TypeInfo kNodeType;
extern const harness::TypeInfo kBuilderType;
extern const harness::TypeInfo kGraphType;
extern const harness::TypeInfo kFunctionType;
extern const harness::TypeInfo kCycleType;
extern const harness::TypeInfo kTrapType;
extern const harness::TypeInfo kListType;
extern const harness::TypeInfo kTupleType;

/// The thing that a wrapper wraps, none if it wraps another kind.
ThingId thing_of(harness::Object& object);

}  // namespace targets::graph_argument
