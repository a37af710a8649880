// SPDX-License-Identifier: Apache-2.0
// Table of policies: each is one way to keep alive the objects that a launch uses.
#include "targets/argpack/borrow.h"
#include "targets/argpack/handle_by_value.h"
#include "targets/argpack/mark_at_launch.h"
#include "targets/argpack/mark_at_set.h"
#include "targets/argpack/own.h"
#include "targets/argpack/pin_for_call.h"
#include "targets/argpack/pin_top_level.h"
#include "targets/argpack/script.h"

namespace targets::argpack {

using harness::Label;
using harness::Runtime;

harness::Label to_label(Status status) {
  static constexpr std::array<Label, 12> kLabels{
      "ok",           "name_error",     "type_error",      "no_program",
      "stale_object", "argument_limit", "unbound",         "driver_error",
      "buffer_error", "context_spent",  "context_invalid", "invalid_allocation"};
  return kLabels[harness::raw(status)];
}

namespace {

template <class Lifetime>
Argpack make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  Policy& policy = *arena.make<Lifetime>(core);
  return arena.make<Script>(core, policy)->path();
}

constexpr NamedPolicy kPolicies[] = {
    {"borrow", make<Borrow>},
    {"pin_for_call", make<PinForCall>},
    {"pin_top_level", make<PinTopLevel>},
    {"handle_by_value", make<HandleByValue>},
    {"mark_at_launch", make<MarkAtLaunch>},
    {"mark_at_set", make<MarkAtSet>},
    {"own", make<Own>},
};

}  // namespace

std::span<const NamedPolicy> policies() { return kPolicies; }

}  // namespace targets::argpack
