// SPDX-License-Identifier: Apache-2.0
// The alltoallv scenario: ranks of different speed post collectives over shared slots, free and
// allocate, and fail.
//
//   plan.h       plan of all ranks            rank.h     one rank
//   player.h     chooses the plan, from the ops of ops.def and ops.cpp; enabled_ops.h: themes
//   driver.cpp   the tasks                    judges/    the judges
//   model.h      meaning of a collective      job.h      shared state of the ranks
//   windows.cpp  assigns faults to windows    programs.h   tapes op by op
//   variants.cpp  claims of the policies
//
// Judges: judges.h receives the facts, and judges the content of slots and of destinations;
// service.h and calls.h judge statuses; mappings.h, slots.h, memory.h and leftovers.h judge
// lifetimes and bounds; shadow.h detects which windows a run reached.
#include "scenarios/alltoallv/scenario.h"

#include "scenarios/alltoallv/contract.h"
#include "scenarios/alltoallv/variants.h"
#include "scenarios/alltoallv/windows.h"

extern "C" const harness::KernelImage afterlife_kernels_alltoallv;
extern "C" const std::byte afterlife_fatbin_alltoallv[];
extern "C" const std::uint64_t afterlife_fatbin_alltoallv_size;  // 0 if there was no nvcc.

namespace scenarios::alltoallv {
namespace {

using harness::Label;

constexpr std::array<Label, 3> kConcurrentLabels{"1", "2", "8"};
constexpr std::array<Label, 7> kRankLabels{"2", "3", "4", "5", "6", "7", "8"};
constexpr std::array<Label, 2> kCloseLabels{"never", "at_zero"};
constexpr std::array<Label, 2> kCopiesLabels{"each", "batch"};
constexpr std::array<harness::Axis, 4> kAxes{{
    {"C", kConcurrentLabels},
    {"ranks", kRankLabels},
    {"close", kCloseLabels},
    {"copies", kCopiesLabels},
}};

constexpr std::array<harness::Window, kWindowCount> kWindows{{
    {"source_reread",
     "a rank publishes its next collective in the slot, then a slow rank unmaps by what it reads"},
    {"proxy_reread", "the same, with what the slow rank mapped as a proxy"},
    {"slot_released",
     "rank 0 gives the slot to the next collective, then a slow rank is still unmapping"},
    {"key_reused", "memory is freed and allocated again, then its old mapping is let go of"},
    {"blind_close", "an invalidate or a purge closes a mapping, then it is used or let go of"},
    {"open_failed",
     "the second attempt to open a handle fails, then what was never opened is copied from"},
    {"failed_after_claim", "a call fails after the slot was claimed, then the others wait"},
    {"number_reused",
     "a persistent collective is posted again before rank 0 releases its slot, then another gets "
     "it"},
    {"claim_race", "threads of rank 0 claim a slot at once, or for a later collective first"},
    {"number_skipped",
     "init fails on one rank after it has taken a number, then it is asked again and is one ahead"},
    {"setup_ignored",
     "the set-up of a triggered post fails, then its slot is given back and its copies are posted"},
    {"scratch_freed", "a rank leaves its team and frees its scratch, which a peer has mapped"},
    {"pair_ignored", "copies go in one batch, then a pair that has a proxy is copied directly"},
    {"read_ahead", "a batch reads a source in any order, then its stream gets to what fills it"},
    {"half_overwritten",
     "a rank of a ring is slow, then a half of scratch is written that it reads"},
}};

constexpr std::array<harness::Growth, 3> kGrowth{{
    {"region",
     "upstream never destroys its caches: whatever is mapped stays until the process ends"},
    {"unopened region", "the same"},
    {"IPC mapping", "the same"},
}};

constexpr std::array<Label, 3> kActors{"collector", "skew", "api_failure"};
constexpr std::array<harness::Omission, 1> kWithout{{
    {"data_race",
     "copies of memory that its owner reuses are judged by lives, values and generations; as races "
     "they would be reported twice"},
}};

}  // namespace

extern const harness::Scenario scenario;
const harness::Scenario scenario{
    .name = "alltoallv",
    .summary =
        "UCC TL/CUDA's alltoall(v): what a rank keeps of its peers' memory, and for how long",
    .variants = variants(),
    .axes = kAxes,
    .ops = kOps,
    .windows = kWindows,
    .contract = kContract,
    .growth = kGrowth,
    .actors = kActors,
    .without = kWithout,
    .turn_limit = 100'000,
    .drive = drive,
    .judge = nullptr,
    .window_of = window_of,
    .kernels = &afterlife_kernels_alltoallv,
    .fatbin = {afterlife_fatbin_alltoallv, afterlife_fatbin_alltoallv_size},
};

}  // namespace scenarios::alltoallv
