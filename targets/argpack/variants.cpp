// The table of variants, with what each author claims. A window stands in a claim when some way of
// use shows it: contexts made by hand are such a way, whatever kernel(...) pins.
#include "targets/argpack/borrow.h"
#include "targets/argpack/handle_by_value.h"
#include "targets/argpack/mark_at_launch.h"
#include "targets/argpack/mark_at_set.h"
#include "targets/argpack/own.h"
#include "targets/argpack/pin_for_call.h"
#include "targets/argpack/pin_top_level.h"
#include "targets/argpack/script.h"

namespace targets::argpack {

using harness::Claim;
using harness::ClaimKind;
using harness::Label;
using harness::Runtime;
using harness::Variant;

harness::Label to_label(Status status) {
  static constexpr std::array<Label, 11> kLabels{
      "ok",           "name_error",     "type_error",     "no_program",
      "stale_object", "argument_limit", "unbound",        "driver_error",
      "buffer_error", "context_spent",  "context_invalid"};
  return kLabels[harness::raw(status)];
}

namespace {

/// As shipped, gfx drops requests to delete what a launch uses: retention, whoever asks.
constexpr Label kAll[] = {"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W11", "retention"};
constexpr Label kNotPacksAndArrays[] = {"W4", "W5", "W6", "W7", "W11", "retention"};

template <class Lifetime>
Argpack* make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  Policy& policy = *arena.make<Lifetime>(core);
  return arena.make<Script>(core, policy);
}

constexpr Variant<Argpack, const Setup&> kVariants[] = {
    {"borrow",
     {ClaimKind::unsound, kAll, false, "raw pointers from binding to launch: Taichi as shipped"},
     make<Borrow>},
    {"pin_for_call",
     {ClaimKind::unsound, kAll, false,
      "option A: guards packs in kernel(...); not gradients, external memory, resets, or contexts "
      "made by hand"},
     make<PinForCall>},
    {"pin_top_level",
     {ClaimKind::unsound, kAll, false,
      "guards nothing: the call's arguments hold the top-level pack anyway"},
     make<PinTopLevel>},
    {"handle_by_value",
     {ClaimKind::unsound, kAll, false,
      "option B: the host object is not followed, but what the handle names is freed all the same"},
     make<HandleByValue>},
    {"mark_at_launch",
     {ClaimKind::unsound, kAll, true,
      "option C as gfx has it: marks too late, never unmarks packs, drops requests to delete"},
     make<MarkAtLaunch>},
    {"mark_at_set",
     {ClaimKind::unsound, kNotPacksAndArrays, false,
      "option C marked when bound: guards packs and arrays, and leaks what is deleted meanwhile"},
     make<MarkAtSet>},
    {"own",
     {ClaimKind::sound,
      {},
      false,
      "contexts hold what is bound to them until the launch has finished"},
     make<Own>},
};

}  // namespace

std::span<const Variant<Argpack, const Setup&>> variants() { return kVariants; }

}  // namespace targets::argpack
