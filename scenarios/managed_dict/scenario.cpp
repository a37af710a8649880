// SPDX-License-Identifier: Apache-2.0
// The managed_dict scenario: a script makes and uses instances of plain classes under a JIT, while
// the collector, the allocator, a second thread and the compiler thread make their choices.
//
//   player.h    the slots of the tasks               driver.cpp   the tasks
//   ops.def, ops.cpp  the ops                        chooser.h    their arguments
//   judges/     receive and judge facts              variants.cpp claims of the variants
//   windows.cpp assigns faults to windows            programs.h   tapes op by op
#include "scenarios/managed_dict/scenario.h"

#include "scenarios/managed_dict/explain.h"
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

constexpr std::array<harness::Window, kWindowCount> kWindows{{
    {"word_read", "the word is overwritten, then a store or a load believes it"},
    {"word_counted", "the word says values, then compiled code counts it as an object"},
    {"chunk_freed", "the byte before the values is changed, then the chunk is freed by it"},
    {"instance_recycled", "an instance dies, then a pointer to it is written through"},
    {"order_appended", "the insertion order is full, then an index is added"},
    {"type_modified", "a type is modified, then a cache of the JIT answers for it"},
    {"value_counted", "the values are decoded, then counted as an object"},
    {"dict_published", "the values move to a dict, then a store goes on"},
    {"value_released", "an attribute's value goes, and code that this runs reads the attribute"},
}};

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
