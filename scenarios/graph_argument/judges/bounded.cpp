// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/judges/bounded.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"
#include "scenarios/graph_argument/model/refuse.h"

namespace scenarios::graph_argument {

using harness::Label;

namespace {

void note(Model& model, Holding& holding) {
  harness::World& world = model.scene.world();
  if (std::exchange(holding.overdue, true)) return;
  holding.found_in = world.picker.current().name;
  holding.found_at = world.scheduler.now();
  holding.stuck = model.stuck;
  holding.lost_at = model.calls.script_calls() + 1 - holding.lost_at;
  model.overdue.push_back(holding);
}

/// Returns whether the harness's own judge has reported it, because it is also alive at the end.
bool is_found(const harness::History& history, harness::Name object) {
  return std::ranges::any_of(history.faults(), [&](const harness::Fault& fault) {
    return fault.kind == harness::FaultKind::retention && fault.object == object;
  });
}

}  // namespace

std::size_t ended_user_objects(const Model& model) {
  const auto ended = std::ranges::count_if(
      model.scene.world().ledger.lives(),
      [](const harness::Life& life) { return life.kind == Label("user object") && !life.alive; });
  return static_cast<std::size_t>(ended);
}

bool has_lost(Model& model) { return model.calls.quiet() && model.losses.look(); }

void judge_bound(Model& model, const Call& call, targets::graph_argument::Status status) {
  if (call.task != model.calls.main() || !model.calls.quiet()) return;
  if (!model.losses.may_have_some() || !model.losses.look()) return;
  if (call.asked.op != Op::synchronize_device || status != targets::graph_argument::Status::ok)
    return;
  if (ended_user_objects(model) > model.destructed) return;  // Destructors will hold it up.
  for (Holding& holding : model.losses.holdings()) {
    const std::uint32_t since = std::max(holding.lost_at, model.calls.held_up_at());
    if (holding.lost_at != 0 && model.calls.script_calls() >= since + kBoundCalls)
      note(model, holding);
  }
}

void await_lost(Model& model) {
  const bool some = has_lost(model);
  for (Holding& holding : model.losses.holdings()) holding.awaited = some && holding.lost_at != 0;
}

void judge_settled(Model& model) {
  if (!has_lost(model)) return;
  for (Holding& holding : model.losses.holdings())
    if (holding.awaited) note(model, holding);
}

void report_overdue(const Model& model) {
  harness::Scene& scene = model.scene;
  harness::History& history = scene.world().history;
  for (const Holding& holding : model.overdue) {
    const harness::Life& life = scene.world().ledger.life(holding.life);
    if (is_found(history, life.name) || went_wrong(model, holding.found_at)) continue;
    harness::Fault fault = harness::retention_of(
        scene, life,
        fmt::format("alive since turn {}; it could not be used since {} calls ago", life.birth_tick,
                    holding.lost_at));
    fault.use_site = holding.stuck ? kStuckSite : kBoundSite;
    fault.activation = holding.found_in;
    fault.tick = holding.found_at;
    history.add(std::move(fault));
  }
}

}  // namespace scenarios::graph_argument
