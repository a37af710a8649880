// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/wrappers.h"

#include "targets/argpack/script/binder.h"
#include "targets/argpack/script/garbage.h"

namespace targets::argpack {

using harness::Object;
using harness::TypeInfo;

template <class Payload>
static void finalize(Object& self) {
  Payload& payload = self.payload<Payload>();
  payload.maker->finalize(payload);
}

template <class Payload>
static void deallocate(Object& self) {
  Payload& payload = self.payload<Payload>();
  payload.maker->deallocate(payload);
}

const TypeInfo kPackType{.name = "ArgPack wrapper", .finalize = finalize<PackPayload>};
const TypeInfo kArrayType{.name = "Ndarray wrapper", .finalize = finalize<ArrayPayload>};
const TypeInfo kExternalType{
    .name = "external array", .dealloc = deallocate<ExternalPayload>, .tracked = false};
const TypeInfo kContextType{
    .name = "LaunchContext", .dealloc = deallocate<ContextPayload>, .tracked = false};
const TypeInfo kCycleType{.name = "cycle", .dealloc = deallocate<CyclePayload>};
const TypeInfo kTrapType{.name = "trap", .finalize = finalize<TrapPayload>};
const TypeInfo kListType{.name = "list"};
const TypeInfo kTupleType{.name = "tuple"};

ThingId thing_of(Object& object) {
  const TypeInfo* type = &object.type();
  if (type == &kPackType) return object.payload<PackPayload>().thing;
  if (type == &kArrayType) return object.payload<ArrayPayload>().thing;
  if (type == &kContextType) return object.payload<ContextPayload>().context.thing;
  return type == &kExternalType ? object.payload<ExternalPayload>().thing : ThingId::none;
}

}  // namespace targets::argpack
