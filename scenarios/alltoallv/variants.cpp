// SPDX-License-Identifier: Apache-2.0
// The table of variants: each row is a policy of the target, by name, with its author's claim. The
// first is UCC's.
#include "scenarios/alltoallv/variants.h"

#include "harness/run/scenario/variants.h"

namespace scenarios::alltoallv {
namespace {

using harness::Claim;
using harness::ClaimKind;
using harness::Label;

// In this order, so that the hazards of UCC's variants are parts of it.
constexpr Label kAll[] = {
    "source_reread",  "proxy_reread",       "key_reused",    "blind_close", "open_failed",
    "number_skipped", "failed_after_claim", "number_reused", "claim_race",  "setup_ignored",
    "scratch_freed",  "pair_ignored",       "read_ahead",    "leak"};
constexpr std::span<const Label> kReread(kAll);
constexpr std::span<const Label> kRetaining = kReread.subspan(2);
constexpr std::span<const Label> kKeyAba = kRetaining.first(kRetaining.size() - 1);
constexpr std::span<const Label> kBlindClose = kKeyAba.subspan(1);

constexpr Label kByKey[] = {"key_reused", "blind_close"};
constexpr Label kGarbage[] = {"open_failed"};
constexpr Label kErrors[] = {"failed_after_claim"};
constexpr Label kNumberWindows[] = {"number_reused", "number_skipped"};
constexpr Label kClaims[] = {"claim_race"};
constexpr Label kSetups[] = {"setup_ignored"};
constexpr Label kPairs[] = {"pair_ignored"};
constexpr Label kOrders[] = {"read_ahead"};
constexpr Label kHalves[] = {"half_overwritten"};
constexpr Label kTeams[] = {"scratch_freed"};

constexpr Claim unsound(std::span<const Label> hazards, const char* words) {
  return {ClaimKind::unsound, hazards, false, words};
}

constexpr harness::VariantInfo kVariants[] = {
    {"reread_slot",
     unsound(kReread,
             "unmaps by the key that the slot holds after the barrier: UCC v1.2.0 to v1.8.0")},
    {"snapshot_pointer",
     unsound(kKeyAba, "#1268: remembers the key; the address may mean another mapping by then")},
    {"snapshot_region_pointer",
     unsound(kKeyAba, "remembers the region, which the cache frees whatever its count")},
    {"unmap_before_barrier",
     unsound(kBlindClose,
             "unmaps while the slot is still its own; cache and error paths stay as they are")},
    {"third_barrier",
     unsound(kBlindClose, "waits until all have unmapped; cache and error paths stay as they are")},
    {"release_by_all",
     unsound(kKeyAba,
             "the last one done releases the slot; the key may mean another mapping by then")},
    {"check_generation",
     unsound(kRetaining, "sees that a key is stale, and then has none: the mapping stays counted")},
    {"ignore_missing",
     unsound(kReread,
             "over-correction: a key that is not found is ignored; the mapping stays counted")},
    {"never_unmap",
     {ClaimKind::unsound, kRetaining, true,
      "over-correction: counts never go down; UCC before #642"}},
    {"snapshot_region",
     {ClaimKind::sound,
      {},
      false,
      "counted references to regions; a close only marks; errors go through the barriers"}},
    {"find_by_key",
     unsound(kByKey, "snapshot_region, but finds the region again by the address, as #1268")},
    {"close_blindly",
     unsound(kByKey, "snapshot_region, but closes any mapping that is in the way")},
    {"keep_failed_open",
     unsound(kGarbage, "snapshot_region, but keeps an entry of what failed to open")},
    {"leave_on_error",
     unsound(kErrors, "snapshot_region, but a rank on which something failed joins no barrier")},
    {"hide_error",
     unsound(kErrors, "snapshot_region, but such a rank joins them without telling its peers")},
    {"ignore_setup_error",
     unsound(kSetups,
             "snapshot_region, but a triggered post continues although its set-up failed")},
    {"number_at_init",
     unsound(kNumberWindows, "snapshot_region, but numbers a collective once, when it is made")},
    {"take_in_two_steps",
     unsound(kClaims, "snapshot_region, but looks and claims in two steps, in any order")},
    {"batch_without_proxies",
     unsound(kPairs, "snapshot_region, but copies in a batch where a pair of ranks has a proxy")},
    {"read_in_any_order",
     unsound(kOrders, "snapshot_region, but lets a batch read its sources in any order")},
    {"overwrite_half",
     unsound(kHalves,
             "snapshot_region, but a ring does not wait for the readers of what it writes")},
    {"leave_team_at_once",
     unsound(kTeams, "snapshot_region, but frees a team's scratch without waiting for its peers")},
};

}  // namespace

std::span<const harness::VariantInfo> variants() { return kVariants; }

Maker maker_of(std::size_t variant) {
  return harness::find_maker<targets::alltoallv::policies, variants>(variant);
}

}  // namespace scenarios::alltoallv
