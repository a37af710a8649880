// SPDX-License-Identifier: Apache-2.0
// The table of policies.
#include "targets/alltoallv/check_generation.h"
#include "targets/alltoallv/ignore_missing.h"
#include "targets/alltoallv/job.h"
#include "targets/alltoallv/never_unmap.h"
#include "targets/alltoallv/one_repair_less.h"
#include "targets/alltoallv/release_by_all.h"
#include "targets/alltoallv/reread_slot.h"
#include "targets/alltoallv/snapshot_pointer.h"
#include "targets/alltoallv/snapshot_region_pointer.h"
#include "targets/alltoallv/third_barrier.h"
#include "targets/alltoallv/unmap_before_barrier.h"

namespace targets::alltoallv {

using harness::Runtime;

harness::Label to_label(Status status) {
  static constexpr std::array<harness::Label, 6> kLabels{
      "ok", "in_progress", "not_supported", "no_buffer", "driver_error", "peer_error"};
  return kLabels[harness::raw(status)];
}

namespace {

template <class Lifetime>
Alltoallv* make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  core.policy = arena.make<Lifetime>(core);
  return arena.make<Job>(core);
}

constexpr NamedPolicy kPolicies[] = {
    {"reread_slot", make<RereadSlot>},
    {"snapshot_pointer", make<SnapshotPointer>},
    {"snapshot_region_pointer", make<SnapshotRegionPointer>},
    {"unmap_before_barrier", make<UnmapBeforeBarrier>},
    {"third_barrier", make<ThirdBarrier>},
    {"release_by_all", make<ReleaseByAll>},
    {"check_generation", make<CheckGeneration>},
    {"ignore_missing", make<IgnoreMissing>},
    {"never_unmap", make<NeverUnmap>},
    {"snapshot_region", make<SnapshotRegion>},
    {"find_by_key", make<FindByKey>},
    {"close_blindly", make<CloseBlindly>},
    {"keep_failed_open", make<KeepFailedOpen>},
    {"leave_on_error", make<LeaveOnError>},
    {"hide_error", make<HideError>},
    {"ignore_setup_error", make<IgnoreSetupError>},
    {"number_at_init", make<NumberAtInit>},
    {"take_in_two_steps", make<TakeInTwoSteps>},
    {"batch_without_proxies", make<BatchWithoutProxies>},
    {"read_in_any_order", make<ReadInAnyOrder>},
    {"overwrite_half", make<OverwriteHalf>},
    {"leave_team_at_once", make<LeaveTeamAtOnce>},
};

}  // namespace

std::span<const NamedPolicy> policies() { return kPolicies; }

}  // namespace targets::alltoallv
