// SPDX-License-Identifier: Apache-2.0
// The table of variants: each row is a policy, by name, with its author's claim; the first is the
// path as shipped. A claim lists a window that some way can reach, together with that way if only
// contexts made by hand can: what kernel(...) pins is safe in calls.
#include "harness/run/scenario/variants.h"

#include "scenarios/argpack/scenario.h"

namespace scenarios::argpack {
namespace {

using harness::Claim;
using harness::ClaimKind;
using harness::Label;

/// The shipped gfx backend drops requests to delete what a launch uses, so that these objects leak.
constexpr Label kAll[] = {"nested_replaced",   "parent_freed",      "array_deleted",
                          "external_gone",     "dropped_in_flight", "stale_wrapper",
                          "taken_reentrantly", "context_reused",    "leak"};
/// The pins of a call protect the packs in it.
constexpr Label kNotPacksOfCalls[] = {
    "nested_replaced/context", "parent_freed/context", "array_deleted",
    "external_gone",           "dropped_in_flight",    "stale_wrapper",
    "taken_reentrantly",       "context_reused",       "leak"};
constexpr Label kNotPacksAndArrays[] = {"external_gone",     "dropped_in_flight", "stale_wrapper",
                                        "taken_reentrantly", "context_reused",    "leak"};

constexpr harness::DocumentedRefusal kDocumentedRefusals[] = {
    {"context_reused", "context_spent"},
    {"stale_wrapper", "stale_object"},
    {"taken_reentrantly", "context_invalid"}};

constexpr Claim unsound(std::span<const Label> hazards, const char* words) {
  return {ClaimKind::unsound, hazards, false, words};
}

constexpr harness::VariantInfo kVariants[] = {
    {"borrow", unsound(kAll, "raw pointers from binding to launch: Taichi as shipped")},
    {"pin_for_call",
     unsound(kNotPacksOfCalls,
             "option A: guards packs in kernel(...); not gradients, external memory, resets, or "
             "contexts made by hand")},
    {"pin_top_level",
     unsound(kAll, "guards nothing: the call's arguments hold the top-level pack anyway")},
    {"handle_by_value",
     unsound(
         kAll,
         "option B: the host object is not followed, but what the handle names is freed all the "
         "same")},
    {"mark_at_launch",
     {ClaimKind::unsound, kAll, true,
      "option C as gfx has it: marks too late, never unmarks packs, drops requests to delete"}},
    {"mark_at_set",
     unsound(kNotPacksAndArrays,
             "option C marked when bound: guards packs and arrays, and leaks what is deleted "
             "meanwhile")},
    {"own",
     {ClaimKind::sound,
      {},
      false,
      "contexts hold what is bound to them until the launch has finished",
      kDocumentedRefusals}},
};

}  // namespace

std::span<const harness::VariantInfo> variants() { return kVariants; }

Maker maker_of(std::size_t variant) {
  return harness::find_maker<targets::argpack::policies, variants>(variant);
}

}  // namespace scenarios::argpack
