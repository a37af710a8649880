// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/bounded.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"

namespace scenarios::graph_argument {

using harness::Label;

namespace {

std::size_t destructors_owed(const harness::Scene& scene, const Model& model) {
  const auto& lives = scene.world().ledger.lives();
  const auto ended = std::count_if(lives.begin(), lives.end(), [](const harness::Life& life) {
    return life.kind == Label("user object") && !life.alive;
  });
  return static_cast<std::size_t>(ended) - model.calls().destructed();
}

void note(harness::Scene& scene, Model& model, Holding& holding) {
  if (std::exchange(holding.overdue, true)) return;
  holding.found_in = scene.world().picker.current().name;
  holding.found_at = scene.world().scheduler.now();
  holding.stuck = model.calls().stuck();
  holding.lost_at = model.calls().script_calls() + 1 - holding.lost_at;
  model.losses().overdue().push_back(holding);
}

/// Returns whether the harness's own judge has reported it, because it is also alive at the end.
bool is_found(const harness::History& history, harness::Name object) {
  return std::any_of(history.faults().begin(), history.faults().end(),
                     [&](const harness::Fault& fault) {
                       return fault.kind == harness::FaultKind::retention && fault.object == object;
                     });
}

}  // namespace

bool has_lost(Model& model) { return model.calls().quiet() && model.losses().look(); }

void judge_bound(harness::Scene& scene, Model& model, const Call& call,
                 targets::graph_argument::Status status) {
  if (call.task != model.calls().main() || !model.calls().quiet()) return;
  if (!model.losses().may_have_some() || !model.losses().look()) return;
  if (call.asked.op != Op::synchronize_device || status != targets::graph_argument::Status::ok)
    return;
  if (destructors_owed(scene, model) > 0) return;  // Each will hold up the bound when it returns.
  for (Holding& holding : model.losses().holdings()) {
    const std::uint32_t since = std::max(holding.lost_at, model.calls().held_up_at());
    if (holding.lost_at != 0 && model.calls().script_calls() >= since + kBoundCalls)
      note(scene, model, holding);
  }
}

void await_lost(Model& model) {
  const bool some = has_lost(model);
  for (Holding& holding : model.losses().holdings()) holding.awaited = some && holding.lost_at != 0;
}

void judge_settled(harness::Scene& scene, Model& model) {
  if (!has_lost(model)) return;
  for (Holding& holding : model.losses().holdings())
    if (holding.awaited) note(scene, model, holding);
}

void report_overdue(harness::Scene& scene, const Model& model) {
  harness::History& history = scene.world().history;
  for (const Holding& holding : model.losses().overdue()) {
    const harness::Life& life = scene.world().ledger.life(holding.life);
    if (is_found(history, life.name) || went_wrong(scene, holding.found_at)) continue;
    harness::Fault fault = harness::retention_of(
        scene, life,
        fmt::format("alive since turn {}; it could not be used since {} calls ago", life.birth_tick,
                    holding.lost_at));
    fault.use_site = holding.stuck ? kStuckSite : Label("bound");
    fault.activation = holding.found_in;
    fault.tick = holding.found_at;
    history.add(std::move(fault));
  }
}

}  // namespace scenarios::graph_argument
