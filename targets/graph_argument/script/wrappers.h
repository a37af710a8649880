// SPDX-License-Identifier: Apache-2.0
// Wrappers: the managed objects of a script, and their payloads by type.
#pragma once

#include "targets/graph_argument/builder.h"
#include "targets/graph_argument/core.h"

namespace targets::graph_argument {

class Frame;

struct BufferPayload {
  ThingId thing;
  Shared<DevicePtr> memory;  ///< Null after close().
};

struct ModulePayload {
  ThingId thing;
  Shared<ModuleBox> module;
};

struct EventPayload {
  ThingId thing;
  Shared<EventBox> event;  ///< Null after close().
};

struct DefinitionPayload {
  Shared<GraphBox> graph;
};

struct NodePayload {
  Shared<GraphBox> graph;
  CUgraphNode node;
  NodeId id;  ///< Id in facts.
  Work work;
  Shared<ModuleBox> module;                       ///< For a kernel node.
  std::array<GraphId, kBranchCount> bodies = {};  ///< Ids of the graphs inside, for facts.
  bool destroyed = false;
  std::array<harness::Ref, kBranchCount> branches =
      {};                   ///< For a conditional node: its branches, as definitions.
  CUdeviceptr address = 0;  ///< For an allocation node.
};

struct BuilderPayload {
  Shared<BuilderBox> box;
};

struct GraphPayload {
  Shared<ExecBox> exec;  ///< Null after close().
};

/// An object that refers to itself and to one other wrapper.
struct CyclePayload {
  Core* core;
  ThingId thing;
};

/// Garbage with a finalizer (__del__).
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

/// Returns the thing of a wrapper, or none if its type has no thing.
ThingId thing_of(harness::Object& object);

}  // namespace targets::graph_argument
