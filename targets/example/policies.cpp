// SPDX-License-Identifier: Apache-2.0
// The table of policies.
#include "targets/example/borrow.h"
#include "targets/example/retain.h"

namespace targets::example {
namespace {

template <class Kept>
Server* make(harness::Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  return arena.make<Server>(runtime, setup, *arena.make<Kept>());
}

constexpr NamedPolicy kPolicies[] = {
    {"borrow", make<Borrow>},
    {"retain", make<Retain>},
};

}  // namespace

std::span<const NamedPolicy> policies() { return kPolicies; }

}  // namespace targets::example
