// SPDX-License-Identifier: Apache-2.0
// Wrappers: the managed objects of a script, and their payloads by type. Each payload refers to the
// part of the script that made it, and notifies it when the wrapper dies.
#pragma once

#include "targets/argpack/context.h"

namespace targets::argpack {

class Binder;
class ScriptArrays;
class ScriptGarbage;
class ScriptPacks;

/// taichi.lang.argpack.ArgPack: the nested pack and the array are members ("c", "x"); the scalar is
/// in the payload.
struct PackPayload {
  ScriptPacks* maker;
  ThingId thing;
  std::uint32_t depth;
  std::int32_t a;
  std::uint32_t generation = 0;        ///< Generation of the program that made the C++ object.
  harness::Borrowed<ArgPack> argpack;  ///< return_value_policy::reference: does not own it.
};

/// taichi.ScalarNdarray: the gradient is a member ("grad").
struct ArrayPayload {
  ScriptArrays* maker;
  ThingId thing;
  std::uint32_t generation = 0;
  harness::Borrowed<Ndarray> ndarray;
};

/// pybind's wrapper of a LaunchContextBuilder, which it owns.
struct ContextPayload {
  Binder* maker;
  LaunchContext context;
};

inline LaunchContext& context_of(const harness::Ref& wrapper) {
  return wrapper->payload<ContextPayload>().context;
}

/// An object that refers to itself and to one other wrapper.
struct CyclePayload {
  ScriptGarbage* maker;
  ThingId thing;
};

/// Garbage with a finalizer (__del__).
struct TrapPayload {
  ScriptGarbage* maker;
  FinalizerAction action;
  Variable victim;
  std::int32_t value;
};

extern const harness::TypeInfo kPackType;
extern const harness::TypeInfo kArrayType;
extern const harness::TypeInfo kExternalType;
extern const harness::TypeInfo kContextType;
extern const harness::TypeInfo kCycleType;
extern const harness::TypeInfo kTrapType;
extern const harness::TypeInfo kListType;
extern const harness::TypeInfo kTupleType;

/// Returns the id of a wrapper in facts; none for other objects.
ThingId thing_of(harness::Object& object);

}  // namespace targets::argpack
