// SPDX-License-Identifier: Apache-2.0
// The managed_dict scenario: a script makes and uses instances of plain classes under a JIT, while
// the collector, the allocator, a second thread and the compiler thread make their choices.
//
//   driver.cpp        the tasks                    player.h      their slots and statements
//   ops.def, ops.cpp  the ops and their arguments  programs.h    tapes op by op
//   model/            the state of a run           judges/       receive and judge facts
//   variants.cpp      claims of the variants       explain/      instruments and their diagnosis
#include "scenarios/managed_dict/scenario.h"

#include "scenarios/managed_dict/explain/explain.h"
#include "scenarios/managed_dict/model/reach.h"
#include "scenarios/managed_dict/variants.h"

extern "C" const harness::KernelImage afterlife_kernels_managed_dict;
extern "C" const std::byte afterlife_fatbin_managed_dict[];
extern "C" const std::uint64_t afterlife_fatbin_managed_dict_size;  // 0 if there was no nvcc.

namespace scenarios::managed_dict {
namespace {

using harness::Label;

constexpr std::array<Label, 2> kCompilerLabels{"inline", "background"};
constexpr std::array<harness::Axis, 2> kAxes{{
    {"layout", targets::managed_dict::kVersionLabels},
    {"compiler", kCompilerLabels},
}};

constexpr auto kWindows = std::to_array<harness::Window>({
#define WINDOW(name, summary, ...) {#name, summary},
#include "scenarios/managed_dict/windows.def"
});

constexpr std::array<Label, 2> kActors{"skew", "leeway"};
constexpr std::array<harness::Omission, 1> kWithout{{
    {"data_race", "all device work is of one process and one stream, which orders it"},
}};

}  // namespace

extern const harness::Scenario scenario;
const harness::Scenario scenario{
    .name = "managed_dict",
    .summary = "a JIT's attribute stores on CPython's managed dicts: who changed the tagged word",
    .variants = variants(),
    .axes = kAxes,
    .ops = kOps,
    .windows = kWindows,
    .contract = {},
    .growth = {},
    .actors = kActors,
    .without = kWithout,
    .turn_limit = 20'000,
    .drive = drive,
    .judge = nullptr,
    .window_of = window_of,
    .kernels = &afterlife_kernels_managed_dict,
    .fatbin = {afterlife_fatbin_managed_dict, afterlife_fatbin_managed_dict_size},
    .instruments = kInstruments,
    .make_instruments = make_instruments,
};

}  // namespace scenarios::managed_dict
