// SPDX-License-Identifier: Apache-2.0
// How it works. Calls are judged when they return, and values where they are reported. After the
// run follow judges that only this path has: objects alive for too long (bounded.h), and a graph
// that keeps its own owner alive. All else is judged by the harness's own oracles.
#include "scenarios/graph_argument/judges/judges.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"
#include "scenarios/graph_argument/contract.h"
#include "scenarios/graph_argument/model/expect.h"
#include "scenarios/graph_argument/model/reach.h"
#include "scenarios/graph_argument/model/refuse.h"

namespace scenarios::graph_argument {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

// ---- calls --------------------------------------------------------------------------------------

Judges::Status Judges::judge(Call& call, Status status) {
  judge_answer(model(), call, status);
  if (call.finished_some) judge_runs(model(), false);
  end(call, status);
  judge_bound(model(), call, status);
  return status;
}

Census Judges::census() {
  const Census census = take_census(path());
  for (Variables left = census.all(); left != 0; left &= left - 1) {
    const auto variable = static_cast<Variable>(std::countr_zero(left));
    const bool said = (census.capturing & bit(variable)) != 0;
    if (!may_say_capturing(model(), variable, said))
      model().scene.refuse(
          "builder", said ? "captures, and has ended" : "does not capture, and has not ended");
  }
  return census;
}

void Judges::comes_after(std::size_t count) {
  const Call* call = model().calls.current();
  if (call == nullptr || call->referred_count == 0) return;
  if ((count != 0) != (call->after() != NodeId::none))
    model().scene.refuse("node", count != 0 ? "after a node that no one has named" : "after none");
}

// ---- objects that had ended ---------------------------------------------------------------------

void Judges::named_closed_stream(bool refused) {
  harness::Scene& scene = model().scene;
  reach(model(), Window::stream_or_event_closed);
  if (refused) return scene.keep_out(harness::raw(Window::stream_or_event_closed));
  if (Call* call = model().calls.current()) call->accepted_closed = true;
  report_accepted_stream(scene, "closed, and taken for the default one");
}

// If the caller closes it during the call, the node writes to freed or foreign memory: a caller
// error.
void Judges::took_closed(Label kernel) {
  reach(model(), Window::buffer_closed);
  Fault fault = harness::fault_here(model().scene, FaultKind::recycled_use, "device memory",
                                    "closed while its address was on the way to the node");
  fault.death_site = targets::graph_argument::kBufferCloseSite;
  fault.use_site = kernel;
  model().scene.world().history.add(std::move(fault));
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
  harness::Scene& scene = model().scene;
  reach(model(), Window::child_destroyed);
  if (refused) return scene.keep_out(harness::raw(Window::child_destroyed));
  if (is_kept(scene.world(), handle)) return;
  const auto& dead = model().dead_handles;
  if (std::ranges::find(dead, handle) == dead.end()) return report_reused_handle(scene);
  if (Call* call = model().calls.current()) call->met_ended = true;
}

// ---- values -------------------------------------------------------------------------------------

bool Judges::reads(Wrapper buffer) {
  const Wrapped* wrapped = model().names.find(buffer);
  return wrapped != nullptr && wrapped->thing != nullptr && is_written(model(), *wrapped->thing);
}

/// Returns whether unordered work, a caller error, accessed bytes of it concurrently.
bool Judges::was_raced_for(const Thing& thing) const {
  const harness::World& world = model().scene.world();
  const harness::Name name = world.ledger.life(thing.life).name;
  return std::ranges::any_of(world.history.faults(), [&](const Fault& fault) {
    return fault.kind == FaultKind::data_race && fault.object == name &&
           fault.object_kind == kRacedBytes;
  });
}

// Elements may have different writers. Reports the first wrong element, or else the first one.
// Raced bytes may have any value that a launch explains, even one that the model does not know yet.
void Judges::read(Wrapper buffer, const Contents& contents) {
  const Thing& thing = *model().names.find(buffer)->thing;
  const Call* call = model().calls.current();
  const std::uint32_t waits = call != nullptr ? call->waits : 0;  // Waits finished before.
  Explained explained;  // The writer of an element is probably also that of the next one.
  std::uint32_t wrong = 0;
  for (; wrong < contents.out.size(); ++wrong) {
    if (explained.writer != nullptr) wrong = first_other(*explained.writer, contents.out, wrong);
    if (wrong == contents.out.size()) break;
    if (!explains(model(), thing, waits, wrong, contents.out[wrong], explained)) break;
  }
  const bool fits = wrong == contents.out.size();
  const std::int64_t observed = contents.out[fits ? 0 : wrong];
  model().scene.world().scheduler.note(harness::EventKind::observe, explained.what, 0,
                                       static_cast<std::uint64_t>(observed));
  if (model().calls.launches_elsewhere() && was_raced_for(thing)) return;
  if (!fits) return report_value(explained.what, observed, explained.expected);
  const auto given = [&](std::uint32_t i) { return thing.value + static_cast<std::int32_t>(i); };
  std::uint32_t in = 0;
  while (in < contents.in.size() && contents.in[in] == given(in)) ++in;
  const bool produced = is_produced(model(), thing);
  for (std::uint32_t i = 0; i < in; ++i) {
    const bool untouched = !produced && contents.mid[i] == 0;
    if (!untouched && !explains_mid(model(), thing, waits, i, contents.mid[i]))
      return report_value("mid", contents.mid[i], 2 * given(i));
  }
  if (in < contents.in.size()) return report_value("in", contents.in[in], given(in));
  if (!explains_next(model(), thing, contents.next)) report_value("next", 1, 0);
}

// A wrong value after a recycled use follows from it: same window and same contract.
void Judges::report_value(Label what, std::int64_t observed, std::int64_t expected) {
  harness::History& history = model().scene.world().history;
  Fault fault = harness::fault_here(model().scene, FaultKind::wrong_value, what,
                                    fmt::format("{} instead of {}", observed, expected));
  const auto& faults = history.faults();
  const auto cause = std::find_if(faults.rbegin(), faults.rend(), [](const Fault& earlier) {
    return earlier.kind == FaultKind::recycled_use;
  });
  if (cause != faults.rend()) {
    fault.death_site = cause->death_site;
    fault.use_site = cause->use_site;
  }
  history.add(std::move(fault));
}

// ---- after the run ------------------------------------------------------------------------------

// Without a fault, the script must have ended normally. A graph that keeps itself is a caller
// error: the collector cannot see CUDA's references.
void judge(harness::Scene& scene) {
  if (!scene.has_state()) return;
  const Model& model = scene.state<Judges>().model();
  report_overdue(model);
  if (!model.ended && scene.world().history.faults().empty())
    scene.refuse("script", "ended in the middle, without a reason");
  if (!model.keeps_itself) return;
  Fault fault;
  fault.kind = FaultKind::retention;
  fault.object_kind = "reference cycle";
  fault.birth_site = "set_attribute";
  fault.use_site = "user object";
  fault.tick = scene.world().scheduler.now();
  scene.world().history.add(std::move(fault));
}

// The node has the address of a closed buffer, at which another one is now. Nothing orders the end
// of that memory after the node's launches, because its owner does not know of them. Such a fault
// has the kernel, but not the node.
bool comes_of(const Fault& fault, const Fault& callers) {
  if (callers.kind != FaultKind::recycled_use || fault.use_site != callers.use_site) return false;
  if (fault.kind == FaultKind::data_race)
    return callers.death_site == targets::graph_argument::kBufferCloseSite;
  const bool is_use =
      fault.kind == FaultKind::use_after_free || fault.kind == FaultKind::recycled_use;
  return is_use && fault.captured == callers.activation;
}

int window_of(const harness::Scene& scene, const Fault& fault) {
  return window_of(scene.state<Judges>().model(), fault);
}

}  // namespace scenarios::graph_argument
