// SPDX-License-Identifier: Apache-2.0
// The graph_argument scenario: a Python script and a second thread use CUDA graphs while the
// collector, the allocator, the device and CUDA's own threads make their choices.
//
//   variables.h  the script's variables          enabled_ops.h   ops that make sense now
//   player.h     the slots of the tasks              driver.cpp  the tasks
//   ops.def, ops.cpp  the ops                        chooser.h   their arguments
//   judges.h     receives and judges facts           programs.h  tapes op by op
//   windows.cpp  assigns faults to windows           contract.h  duties of the caller
//   variants.h   the policies and their claims
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

constexpr std::array<harness::Window, kWindowCount> kWindows{{
    {"argument_dropped", "a buffer's last reference goes, then a kernel node uses it"},
    {"operand_dropped", "a copy's or set's operand goes, then the node uses it"},
    {"buffer_closed", "a buffer is closed, then a kernel node uses it: the caller's", false, true},
    {"captured_dropped",
     "what was launched into a capture goes, then its graph uses it: the caller's", false, true},
    {"bare_address_dropped", "what a bare address names goes, then it is used: the caller's", false,
     true},
    {"node_changed",
     "a node is changed or destroyed, then a clone or an executable uses what it had"},
    {"executable_changed",
     "an executable's node is changed, then it, or a launch before, uses a buffer that went"},
    {"definition_dropped", "the definition goes, then its executable uses what it kept"},
    {"executable_closed", "the executable is closed, then its launch uses what it kept"},
    {"child_destroyed", "a child node is destroyed, then a handle of its graph is used"},
    {"dropped_in_callback",
     "CUDA's thread lets go of the last reference, then calls CUDA or Python"},
    {"dropped_in_flight",
     "the last reference goes while a launch is in flight, then the launch uses it"},
    {"stream_or_event_closed", "an event or stream is closed, then it is used"},
    {"module_dropped", "a module goes, then a kernel node uses its code"},
    {"graph_memory_misused",
     "a graph's memory is used after its free, elsewhere, or never freed: the caller's", false,
     true},
    {"attachment_failed", "a node is added and its owners are not, then it is used"},
    {"update_failed", "an update fails, then the executable's owners are appended to"},
    {"handle_reused", "a handle comes back, then what was known of it is taken for the new one's"},
    {"capture_invalidated", "a capture is invalidated, then its builder is ended or dropped"},
    {"reference_cycle",
     "what a graph keeps refers to the graph, then both are dropped: the caller's", false, true},
    {"pending_queue_full", "Python's queue is full, then CUDA's thread has something to let go of"},
    {"gil_kept_in_call",
     "CUDA calls what wants the GIL with its lock held, while a CUDA call keeps the GIL"},
}};

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
