// SPDX-License-Identifier: Apache-2.0
// Assigns a fault to a window. For memory, libraries and events the shadow knows it since they
// ended; for other objects their kind and the use site decide.
#include "scenarios/graph_argument/windows.h"

#include <algorithm>
#include <string>

#include "harness/core/fault/kinds.h"
#include "scenarios/graph_argument/bounded.h"
#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/judges.h"

namespace scenarios::graph_argument {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

bool is_kernel(Label use) {
  return std::any_of(kContract.begin(), kContract.end(),
                     [&](const harness::ContractClause& clause) {
                       return !clause.use_site.empty() && clause.use_site == use;
                     });
}

/// Returns whether it is a graph that its builder owned, or wrongly believed to own.
bool is_builders(const Fault& fault) {
  for (const Label site : {fault.death_site, fault.use_site})
    if (site == targets::graph_argument::kBuilderEndSite ||
        site == targets::graph_argument::kBuilderCloseSite)
      return true;
  return false;
}

/// Returns the recycled use from which a wrong value has its sites, or the fault itself.
const Fault& cause_of(const harness::Scene& scene, const Fault& fault) {
  if (fault.kind != FaultKind::wrong_value || fault.death_site.empty()) return fault;
  const Fault* cause = &fault;
  for (const Fault& earlier : scene.world().history.faults()) {
    if (&earlier == &fault) break;
    if (earlier.kind == FaultKind::recycled_use) cause = &earlier;
  }
  return *cause;
}

/// Returns the window of the end of memory, a library or an event.
std::optional<Window> window_of_end(const harness::Scene& scene, const Fault& fault) {
  if (fault.use_site == kLaunchAddressSite) return Window::bare_address_dropped;
  if (fault.death_site == targets::graph_argument::kBufferCloseSite)
    return is_kernel(fault.use_site) ? Window::buffer_closed : Window::operand_dropped;
  const auto& judges = scene.state<Judges>();
  const auto window = judges.shadow().things().window_of_end(cause_of(scene, fault).object);
  // A bare address may be that of an object that another node holds by its buffer.
  const bool bare = window == Window::bare_address_dropped && !(fault.use_site == Label("chase"));
  return bare ? Window::argument_dropped : window;
}

/// Returns the window of an object that is not memory.
std::optional<Window> window_of_kind(const Fault& fault) {
  const Label kind = fault.object_kind;
  if (kind == targets::graph_argument::kInterpreterKind) return Window::dropped_in_callback;
  // Only a slot that is emptied releases a function.
  if (kind == targets::graph_argument::kFunctionKind) return Window::node_changed;
  if (kind == Label("Stream") || kind == Label("Event")) return Window::stream_or_event_closed;
  const bool is_graph = kind == Label("graph");
  if (is_graph && is_builders(fault)) return Window::capture_invalidated;
  if (is_graph || kind == Label("graph node") || kind == Label("embedded graph"))
    return fault.kind == FaultKind::recycled_use ? Window::handle_reused : Window::child_destroyed;
  if (kind == Label("graph memory")) return Window::graph_memory_misused;
  if (kind == targets::graph_argument::kAccumulatorKind && fault.kind != FaultKind::retention)
    return Window::update_failed;
  if (kind == Label("reference cycle")) return Window::reference_cycle;
  return std::nullopt;
}

/// Returns whether CUDA was called by a thread in one of its callbacks.
bool is_callback(const Fault& fault) {
  return fault.kind == FaultKind::api_misuse &&
         (fault.object_kind == Label("user object destructor") ||
          fault.object_kind == Label("host function"));
}

/// Returns whether it is a cycle of the GIL and the driver's lock.
bool is_about_the_gil(const Fault& fault) {
  const bool hangs = fault.kind == FaultKind::lock_cycle || fault.kind == FaultKind::deadlock;
  const auto names = [&](const char* lock) { return fault.detail.find(lock) != std::string::npos; };
  return hangs && names("waits for GIL") && names("waits for driver lock");
}

/// An object that is unusable by the model's account is not part of a cycle.
int window_of_retention(const Judges& judges, const Fault& fault) {
  const bool bounded = fault.use_site == Label("bound");
  const bool stuck = !bounded && judges.model().calls().stuck();
  if (fault.use_site == kStuckSite || (stuck && !judges.keeps_itself()))
    return harness::raw(Window::pending_queue_full);
  if (bounded || !judges.keeps_itself()) return -1;
  return harness::raw(Window::reference_cycle);
}

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  const auto& judges = scene.state<Judges>();
  if (fault.kind == FaultKind::retention) return window_of_retention(judges, fault);
  if (fault.kind == FaultKind::refusal) return -1;
  if (is_about_the_gil(fault)) return harness::raw(Window::gil_kept_in_call);
  if (is_callback(fault)) return harness::raw(Window::dropped_in_callback);
  if (const auto window = window_of_end(scene, fault)) return harness::raw(*window);
  if (const auto window = window_of_kind(fault)) return harness::raw(*window);
  if (const Fault& cause = cause_of(scene, fault); &cause != &fault) return window_of(scene, cause);
  return -1;
}

}  // namespace scenarios::graph_argument
