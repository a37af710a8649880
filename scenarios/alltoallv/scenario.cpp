// SPDX-License-Identifier: Apache-2.0
// The alltoallv scenario: ranks of different speed post collectives over shared slots, free and
// allocate, and fail.
//
//   plan.h       plan of all ranks            player.h   chooses it, from the ops of ops.def and
//   rank.h       one rank                                ops.cpp; enabled_ops.h: themes
//   driver.cpp   the tasks                    job.h      shared state of the ranks
//   model/       the model                    judges/    the judges
//   windows.def  the windows                  variants.cpp  claims of the policies
//
// facts.h passes each fact of the target to story.h, which explains a run to its reader, and to the
// model: reach.h notes the windows that a run reached and finds that of a fault, update.h keeps the
// state, whose parts are in records.h. expect.h and refuse.h have the correct values and statuses.
// The judges compare: judge.h values and lifetimes, answers.h statuses, calls.h CUDA calls,
// leftovers.h what is left at the end.
#include "scenarios/alltoallv/scenario.h"

#include "scenarios/alltoallv/job.h"
#include "scenarios/alltoallv/variants.h"

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

constexpr auto kWindows = std::to_array<harness::Window>({
#define WINDOW(name, summary) {#name, summary},
#include "scenarios/alltoallv/windows.def"
});

/// Caller actions that the documentation leaves undefined. A fault caused by one is a caller error.
constexpr std::array<harness::ContractClause, 1> kContract{{
    {"exported memory", "", "",
     "cuda.h, cuIpcCloseMemHandle: freeing exported memory before importers close it is undefined; "
     "UCC never closes what it caches, and drivers keep the memory (ucx#10346)"},
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

int window_of(const harness::Scene& scene, const harness::Fault& fault) {
  return scene.state<Job>().facts.reach().window_of(fault);
}

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
