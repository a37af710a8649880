// SPDX-License-Identifier: Apache-2.0
// How it works, as in subtype_dealloc: __del__ runs while the instance temporarily has one
// reference again; a callback runs while it has none.
#include "targets/managed_dict/program/guards.h"

#include <algorithm>

namespace targets::managed_dict {

using harness::SiteScope;

Address Guards::make(ValueKind kind, Variable variable, Attribute attribute) {
  const Address object = core_.attributes.make(core_.types.named(Class::profile_scope));
  if (object != 0) guards_.push_back({object, kind, variable, attribute});
  return object;
}

bool Guards::released(Address object) {
  const auto found = std::find_if(guards_.begin(), guards_.end(),
                                  [&](const Guard& guard) { return guard.object == object; });
  if (found == guards_.end()) [[likely]]
    return true;
  const Guard guard = *found;
  guards_.erase(found);
  const ModuleScope module(core_.memory, Module::interpreter);
  if (guard.kind == ValueKind::finalized) return finalize(guard);
  const SiteScope site(core_.scheduler(), "weakref_callback");
  look(guard);
  return true;
}

bool Guards::finalize(const Guard& guard) {
  const SiteScope site(core_.scheduler(), "__del__");
  core_.objects.incref(guard.object);
  look(guard);
  core_.program_observer().reference_dropped(guard.object);
  return core_.objects.decrement(guard.object);
}

// Reads v.a into a local variable: takes a reference, and drops it at the end.
void Guards::look(const Guard& guard) {
  const Address holder = variables_.objects[guard.variable];
  if (holder == 0) return;
  const Address found = core_.attributes.get(holder, guard.attribute);
  core_.code_observer().read_under_release(found, guard.object);
  if (found == 0) return;
  core_.objects.incref(found);
  core_.objects.decref(found);
}

}  // namespace targets::managed_dict
