// SPDX-License-Identifier: Apache-2.0
// The example scenario: requests for buffers that another thread replaces.
#include "scenarios/example/scenario.h"

#include "scenarios/example/variants.h"

extern "C" const harness::KernelImage afterlife_kernels_example;
extern "C" const std::byte afterlife_fatbin_example[];
extern "C" const std::uint64_t afterlife_fatbin_example_size;  // 0 if there was no nvcc.

namespace scenarios::example {
namespace {

using harness::Label;

constexpr std::array<Label, 2> kStreams{"own", "shared"};
constexpr std::array<harness::Axis, 1> kAxes{{{"stream", kStreams}}};

constexpr auto kWindows = std::to_array<harness::Window>({
#define WINDOW(name, summary) {#name, summary},
#include "scenarios/example/windows.def"
});

constexpr std::array<Label, 2> kActors{"skew", "leeway"};

}  // namespace

extern const harness::Scenario scenario;
const harness::Scenario scenario{
    .name = "example",
    .summary = "the path to copy: requests for buffers that another thread replaces",
    .variants = variants(),
    .axes = kAxes,
    .ops = kOps,
    .windows = kWindows,
    .contract = {},
    .growth = {},
    .actors = kActors,
    .turn_limit = 5'000,
    .drive = drive,
    .judge = nullptr,
    .window_of = window_of,
    .kernels = &afterlife_kernels_example,
    .fatbin = {afterlife_fatbin_example, afterlife_fatbin_example_size},
};

}  // namespace scenarios::example
