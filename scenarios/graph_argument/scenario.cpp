// SPDX-License-Identifier: Apache-2.0
// The graph_argument scenario: a Python script and a second thread use CUDA graphs while the
// collector, the allocator, the device and CUDA's own threads make their choices.
//
//   ops.def      the ops                        arguments.h    their arguments
//   variables.h  the script's variables         enabled_ops.h  ops that make sense now
//   player.h     the slots of the tasks         driver.cpp     the tasks
//   model/       the state of the script        judges/        judges of facts and results
//   windows.def  the windows                    contract.h     duties of the caller
//   variants.h   the policies and their claims  programs.h     tapes op by op
#include "scenarios/graph_argument/scenario.h"

#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/variants.h"
#include "scenarios/graph_argument/windows.h"

extern "C" const harness::KernelImage afterlife_kernels_graph_argument;
extern "C" const std::byte afterlife_fatbin_graph_argument[];
extern "C" const std::uint64_t afterlife_fatbin_graph_argument_size;  // 0 if there was no nvcc.

namespace scenarios::graph_argument {
namespace {

using harness::Label;

constexpr std::array<Label, 2> kCollectorLabels{"eval_breaker", "allocation"};
constexpr std::array<harness::Axis, 2> kAxes{{
    {"default_stream", targets::graph_argument::kDefaultStreamLabels},
    {"collector", kCollectorLabels},
}};

constexpr auto kWindows = std::to_array<harness::Window>({
#define WINDOW(name, ...) {#name, __VA_ARGS__},
#include "scenarios/graph_argument/windows.def"
});

constexpr std::array<Label, 3> kActors{"skew", "api_failure", "leeway"};

}  // namespace

extern const harness::Scenario scenario;
const harness::Scenario scenario{
    .name = "graph_argument",
    .summary = "cuda.core's graphs: what a graph keeps alive of what its nodes point into",
    .variants = variants(),
    .axes = kAxes,
    .ops = kOps,
    .windows = kWindows,
    .contract = kContract,
    .growth = {},
    .actors = kActors,
    .turn_limit = 20'000,
    .drive = drive,
    .judge = judge,
    .window_of = window_of,
    .comes_of = comes_of,
    .kernels = &afterlife_kernels_graph_argument,
    .fatbin = {afterlife_fatbin_graph_argument, afterlife_fatbin_graph_argument_size},
};

}  // namespace scenarios::graph_argument
