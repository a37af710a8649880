// SPDX-License-Identifier: Apache-2.0
// How it works. Each fact goes to the model and to the shadow; values are judged where they are
// reported.
#include "scenarios/graph_argument/judges.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"
#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/service.h"

namespace scenarios::graph_argument {

using harness::Label;

/// Returns whether unordered work, a caller error, accessed bytes of it concurrently.
bool Judges::was_raced_for(const Thing& thing) const {
  const harness::Name name = scene_.world().ledger.life(thing.life).name;
  const auto& faults = scene_.world().history.faults();
  return std::any_of(faults.begin(), faults.end(), [&](const harness::Fault& fault) {
    return fault.kind == harness::FaultKind::data_race && fault.object == name &&
           fault.object_kind == kRacedBytes;
  });
}

// Elements may have different writers. Reports the first wrong element, or else the first one.
// Raced bytes may have any value that a launch explains, even one that the model does not know yet.
void Judges::read(Wrapper buffer, const Contents& contents) {
  const ModelValues& values = model_.values();
  const Thing& thing = *model_.names().find(buffer)->thing;
  const Call* call = model_.calls().current();
  const std::uint32_t waits = call != nullptr ? call->waits : 0;  // Waits finished before.
  const ModelNode* writer = nullptr;  // Writer of the element before, probably also of the next.
  Label what;
  std::int32_t expected = 0;
  std::uint32_t wrong = 0;
  for (; wrong < contents.out.size(); ++wrong) {
    if (writer != nullptr) wrong = ModelValues::first_other(*writer, contents.out, wrong);
    if (wrong == contents.out.size()) break;
    if (!values.explains(thing, waits, wrong, contents.out[wrong], expected, what, writer)) break;
  }
  const bool fits = wrong == contents.out.size();
  const std::int64_t observed = contents.out[fits ? 0 : wrong];
  scene_.world().scheduler.note(harness::EventKind::observe, what, 0,
                                static_cast<std::uint64_t>(observed));
  if (model_.calls().launches_elsewhere() && was_raced_for(thing)) return;
  if (!fits) return report_value(what, observed, expected);
  const auto given = [&](std::uint32_t i) { return thing.value + static_cast<std::int32_t>(i); };
  std::uint32_t in = 0;
  while (in < contents.in.size() && contents.in[in] == given(in)) ++in;
  const bool produced = values.produced(thing);
  for (std::uint32_t i = 0; i < in; ++i) {
    const bool untouched = !produced && contents.mid[i] == 0;
    if (!untouched && !values.explains_mid(thing, waits, i, contents.mid[i]))
      return report_value("mid", contents.mid[i], 2 * given(i));
  }
  if (in < contents.in.size()) return report_value("in", contents.in[in], given(in));
  if (!values.explains_next(thing, contents.next)) report_value("next", 1, 0);
}

// A wrong value after a recycled use follows from it: same window and same contract.
void Judges::report_value(Label what, std::int64_t observed, std::int64_t expected) {
  harness::Fault fault = harness::fault_here(scene_, harness::FaultKind::wrong_value, what,
                                             fmt::format("{} instead of {}", observed, expected));
  const auto& faults = scene_.world().history.faults();
  const auto cause =
      std::find_if(faults.rbegin(), faults.rend(), [](const harness::Fault& earlier) {
        return earlier.kind == harness::FaultKind::recycled_use;
      });
  if (cause != faults.rend()) {
    fault.death_site = cause->death_site;
    fault.use_site = cause->use_site;
  }
  scene_.world().history.add(std::move(fault));
}

// Detects a user object's thing that refers to the graph that keeps it: neither is ever released.
void Judges::drops_all(bool graphs) {
  if (graphs || !shadow_.has_cycle()) return;
  shadow_.passages().reach(Window::reference_cycle);
  keeps_itself_ = true;
}

void Judges::named_closed_stream(bool refused) {
  shadow_.passages().reach(Window::stream_or_event_closed);
  if (refused) return scene_.keep_out(harness::raw(Window::stream_or_event_closed));
  model_.accepted_closed();
  harness::Fault fault = harness::fault_here(scene_, harness::FaultKind::api_misuse, "Stream",
                                             "closed, and taken for the default one");
  fault.death_site = "close";
  scene_.world().history.add(std::move(fault));
}

// If the caller closes it during the call, the node writes to freed or foreign memory: a caller
// error.
void Judges::took_closed(Label kernel) {
  shadow_.passages().reach(Window::buffer_closed);
  harness::Fault fault =
      harness::fault_here(scene_, harness::FaultKind::recycled_use, "device memory",
                          "closed while its address was on the way to the node");
  fault.death_site = targets::graph_argument::kBufferCloseSite;
  fault.use_site = kernel;
  scene_.world().history.add(std::move(fault));
}

// Until the main thread runs the pending calls, no deferred object is released.
void Judges::pending_call_refused() {
  shadow_.passages().reach(Window::pending_queue_full);
  model_.calls().set_stuck(true);
}

/// Returns whether an intervention keeps the graph that had this handle for a use at this site.
static bool is_kept(const harness::World& world, std::uint64_t handle) {
  const harness::Ledger& ledger = world.ledger;
  for (std::size_t i = 0; i < ledger.lives().size(); ++i) {
    const auto id = static_cast<harness::BirthId>(i);
    if (!ledger.alive(id) && ledger.life(id).address == handle &&
        ledger.spares(id, world.scheduler.site()))
      return true;
  }
  return false;
}

// A dead handle is reported by CUDA itself, unless an intervention keeps the graph.
void Judges::named_orphan(std::uint64_t handle, bool refused) {
  shadow_.passages().reach(Window::child_destroyed);
  if (refused) return scene_.keep_out(harness::raw(Window::child_destroyed));
  if (is_kept(scene_.world(), handle)) return;
  if (shadow_.graphs().is_dead(handle)) return model_.met_ended();
  report_reused_handle(scene_);
}

}  // namespace scenarios::graph_argument
