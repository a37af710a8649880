// SPDX-License-Identifier: Apache-2.0
// The argpack scenario: a Python script and a second thread use Taichi arg packs, while the
// collector, the allocator and the device make their choices.
//
//   ops.def, ops.cpp  the ops                  arguments.def, chooser.h  their arguments
//   enabled_ops.h     ops that make sense now  variables.h       the script's variables
//   player.h          the slots of the tasks   driver.cpp        the tasks
//   judge.h           judges results           readings.cpp      judges values
//   variants.cpp      claims of the variants   programs.h        tapes op by op
//   model/            the state of the script; README.md lists its files
#include "scenarios/argpack/scenario.h"

#include "scenarios/argpack/windows.h"

extern "C" const harness::KernelImage afterlife_kernels_argpack;
extern "C" const std::byte afterlife_fatbin_argpack[];
extern "C" const std::uint64_t afterlife_fatbin_argpack_size;  // 0 if there was no nvcc.

namespace scenarios::argpack {
namespace {

using harness::Label;

constexpr std::array<Label, 2> kGilLabels{"on", "off"};
constexpr std::array<Label, 2> kCollectorLabels{"eval_breaker", "allocation"};
constexpr std::array<harness::Axis, 3> kAxes{{
    {"backend", targets::argpack::kBackendLabels},
    {"gil", kGilLabels},
    {"collector", kCollectorLabels},
}};

constexpr std::array<harness::Window, kWindowCount> kWindows{{
    {"top_level_dropped",
     "the variable of the top-level pack is dropped, then the launch uses the pack", true},
    {"nested_replaced", "a nested pack is replaced, then the launch follows it"},
    {"parent_freed", "a pack with a nested one is freed, then the launch writes into it"},
    {"array_deleted", "an ndarray or a gradient is deleted, then the launch resolves it"},
    {"external_gone",
     "external memory is freed or resized, then copied from, copied to or used in place"},
    {"dropped_in_flight", "the last reference goes after the launch, then the kernel reads"},
    {"stale_wrapper", "a wrapper from before reset() is used, or dies in another's stead", true},
    {"taken_reentrantly",
     "a finalizer or a reset takes away what is bound, then the launch uses it"},
    {"context_reused", "a context is launched, then launched again", true},
}};

constexpr std::array<Label, 2> kWays{"kernel", "context"};  // In the order of enum Way.

constexpr std::array<Label, 2> kActors{"skew", "api_failure"};

// A Program owns one of each until reset(); judge() counts them.
constexpr auto kGrowth = [] {
  std::array<harness::Growth, targets::argpack::kProgramOwnedKinds.size()> growth{};
  for (std::size_t i = 0; i < growth.size(); ++i)
    growth[i] = {targets::argpack::kProgramOwnedKinds[i],
                 "compiled once for each Program, which owns it"};
  return growth;
}();

}  // namespace

extern const harness::Scenario scenario;
const harness::Scenario scenario{
    .name = "argpack",
    .summary = "Taichi's ArgPack: what a launch context keeps alive between setting and launching",
    .variants = variants(),
    .axes = kAxes,
    .ops = kOps,
    .windows = kWindows,
    .contract = {},
    .growth = kGrowth,
    .actors = kActors,
    .turn_limit = 20'000,
    .drive = drive,
    .judge = judge,
    .window_of = window_of,
    .kernels = &afterlife_kernels_argpack,
    .fatbin = {afterlife_fatbin_argpack, afterlife_fatbin_argpack_size},
    .ways = kWays,
    .way_of = way_of,
};

}  // namespace scenarios::argpack
