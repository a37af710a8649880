// The table of variants, with what each author claims.
#include "targets/alltoallv/check_generation.h"
#include "targets/alltoallv/ignore_missing.h"
#include "targets/alltoallv/job.h"
#include "targets/alltoallv/never_unmap.h"
#include "targets/alltoallv/release_by_all.h"
#include "targets/alltoallv/reread_slot.h"
#include "targets/alltoallv/snapshot_pointer.h"
#include "targets/alltoallv/snapshot_region.h"
#include "targets/alltoallv/snapshot_region_pointer.h"
#include "targets/alltoallv/third_barrier.h"
#include "targets/alltoallv/unmap_before_barrier.h"

namespace targets::alltoallv {

using harness::ClaimKind;
using harness::Label;
using harness::Runtime;
using harness::Variant;

harness::Label to_label(Status status) {
  static constexpr std::array<Label, 6> kLabels{"ok",        "in_progress",  "not_supported",
                                                "no_buffer", "driver_error", "peer_error"};
  return kLabels[harness::raw(status)];
}

namespace {

constexpr Label kReread[] = {"W1", "W2", "W4", "W5", "W6", "W9", "W11", "W12", "retention"};
constexpr Label kRetaining[] = {"W4", "W5", "W6", "W9", "W11", "W12", "retention"};
constexpr Label kKeyAba[] = {"W4", "W5", "W6", "W9", "W11", "W12"};
constexpr Label kBlindClose[] = {"W5", "W6", "W9", "W11", "W12"};

template <class Lifetime>
Alltoallv* make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  core.policy = arena.make<Lifetime>(core);
  return arena.make<Job>(core);
}

constexpr Variant<Alltoallv, const Setup&> kVariants[] = {
    {"reread_slot",
     {ClaimKind::unsound, kReread, false,
      "unmaps by the key that the slot holds after the barrier: UCC v1.2.0 to v1.8.0"},
     make<RereadSlot>},
    {"snapshot_pointer",
     {ClaimKind::unsound, kKeyAba, false,
      "#1268: remembers the key; the address may mean another mapping by then"},
     make<SnapshotPointer>},
    {"snapshot_region_pointer",
     {ClaimKind::unsound, kKeyAba, false,
      "remembers the region, which the cache frees whatever its count"},
     make<SnapshotRegionPointer>},
    {"unmap_before_barrier",
     {ClaimKind::unsound, kBlindClose, false,
      "unmaps while the slot is still its own; cache and error paths stay as they are"},
     make<UnmapBeforeBarrier>},
    {"third_barrier",
     {ClaimKind::unsound, kBlindClose, false,
      "waits until all have unmapped; cache and error paths stay as they are"},
     make<ThirdBarrier>},
    {"release_by_all",
     {ClaimKind::unsound, kKeyAba, false,
      "the last one done releases the slot; the key may mean another mapping by then"},
     make<ReleaseByAll>},
    {"check_generation",
     {ClaimKind::unsound, kRetaining, false,
      "sees that a key is stale, and then has none: the mapping stays counted"},
     make<CheckGeneration>},
    {"ignore_missing",
     {ClaimKind::unsound, kReread, false,
      "over-correction: a key that is not found is ignored; the mapping stays counted"},
     make<IgnoreMissing>},
    {"never_unmap",
     {ClaimKind::unsound, kRetaining, true,
      "over-correction: counts never go down; UCC before #642"},
     make<NeverUnmap>},
    {"snapshot_region",
     {ClaimKind::sound,
      {},
      false,
      "counted references to regions; whatever closes only marks; errors go through the barriers"},
     make<SnapshotRegion>},
};

}  // namespace

std::span<const Variant<Alltoallv, const Setup&>> variants() { return kVariants; }

}  // namespace targets::alltoallv
