// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/script/wrappers.h"

#include "targets/graph_argument/script/objects.h"

namespace targets::graph_argument {

using harness::Object;
using harness::TypeInfo;

static void finalize_trap(Object& self) {
  const TrapPayload trap = self.payload<TrapPayload>();
  Frame& frame = *trap.frame;
  switch (trap.action) {
    case FinalizerAction::drop:
      if (frame.held(trap.victim)) frame.store(trap.victim, harness::Ref());
      return;
    case FinalizerAction::close: {
      harness::Ref buffer;
      if (frame.get(trap.victim, kBufferType, buffer) == Status::ok) close_now(frame, buffer);
      return;
    }
    case FinalizerAction::collect:
      frame.core().runtime.heap.collect();
      return;
  }
}

static void deallocate_cycle(Object& self) {
  const CyclePayload& cycle = self.payload<CyclePayload>();
  if (cycle.thing != ThingId::none)
    cycle.core->facts.tell(&ThingWitness::reference_dropped, cycle.thing);
}

// The collector tracks only types that can hold other objects.
const TypeInfo kBufferType{.name = "Buffer"};
const TypeInfo kModuleType{.name = "ObjectCode", .tracked = false};
const TypeInfo kEventType{.name = "Event", .tracked = false};
const TypeInfo kDefinitionType{.name = "GraphDefinition"};
const TypeInfo kNodeType{.name = "GraphNode", .tracked = false};
const TypeInfo kBuilderType{.name = "GraphBuilder", .tracked = false};
const TypeInfo kGraphType{.name = "Graph", .tracked = false};
const TypeInfo kFunctionType{.name = kFunctionKind};
const TypeInfo kCycleType{.name = kCycleKind, .dealloc = deallocate_cycle};
const TypeInfo kTrapType{.name = "trap", .finalize = finalize_trap};
const TypeInfo kListType{.name = "list"};
const TypeInfo kTupleType{.name = "tuple"};

ThingId thing_of(Object& object) {
  const TypeInfo* type = &object.type();
  if (type == &kBufferType) return object.payload<BufferPayload>().thing;
  if (type == &kModuleType) return object.payload<ModulePayload>().thing;
  return type == &kEventType ? object.payload<EventPayload>().thing : ThingId::none;
}

}  // namespace targets::graph_argument
