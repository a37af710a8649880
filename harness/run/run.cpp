// SPDX-License-Identifier: Apache-2.0
// How it works. One stage (a world, a scene, one device of each kind) is made once, and every run
// begins it again. A crash may leave any of it half changed, so the run after a crash gets a new
// stage. The actors and omissions that a scenario names are looked up when the scenario changes.
//
// A crash of a task switches to the scheduler, like any fatal fault. A crash outside of tasks
// (before they start, or in a device step that no task requested) jumps to the beginning of the
// run.
#include "harness/run/run.h"

#include <algorithm>
#include <csetjmp>
#include <exception>
#include <optional>

#include "harness/base/crash/crash.h"
#include "harness/base/sanitizers/report.h"
#include "harness/base/watchdog.h"
#include "harness/core/fault/kinds.h"
#include "harness/core/pick/replay.h"
#include "harness/core/world.h"

namespace harness {
namespace {

template <class Info>
const Info* require(std::span<const Info* const> table, Label name) {
  const Info* info = find(table, name.view());
  HARNESS_CHECK(info != nullptr, name.c_str());
  return info;
}

/// Returns whether an oracle is called `name`: it judges finished runs, or owns a kind of fault
/// that is detected when it happens.
bool is_oracle(Label name) {
  return find(tables::oracles(), name.view()) != nullptr || kinds_of(name) != 0;
}

/// Everything that a run uses.
struct Stage {
  World world;
  Scene scene{world};
  std::vector<std::pair<const DeviceInfo*, std::unique_ptr<Device>>> devices;

  Device* device(const DeviceInfo& info);
};

Device* Stage::device(const DeviceInfo& info) {
  for (const auto& [known, made] : devices)
    if (known == &info) return made.get();
  return devices.emplace_back(&info, std::unique_ptr<Device>(info.make())).second.get();
}

}  // namespace

struct Runner::State {
  std::optional<Stage> stage{std::in_place};
  /// The previous run crashed. The stage shows it, and cannot be used again.
  bool stale = false;
  Outcome outcome;
  Replay replay;
  std::jmp_buf landing;  ///< The jump target at the beginning of the run.
  // The scenario that ran last, and its properties.
  const Scenario* scenario = nullptr;
  std::vector<const ActorInfo*> actors;
  std::vector<const OracleInfo*> oracles;
  FaultKinds kinds = 0;

  Stage& fresh_stage();
  void look_up(const Scenario& next);
  void drive(ErrorInjection errors);
  Ending play(ErrorInjection errors);
  [[noreturn]] static void leave(void* state, const Crash& crash);
  void judge();
  void conclude(Ending ending);
};

/// Constructs the new stage in place, because reports of a run keep references to its world.
Stage& Runner::State::fresh_stage() {
  catch_crashes();
  watch_for_endless_loops();
  if (stale) [[unlikely]]
    stage.emplace();
  stale = false;
  return *stage;
}

void Runner::State::look_up(const Scenario& next) {
  if (scenario == &next) return;
  scenario = &next;
  actors.clear();
  oracles.clear();
  for (const Label name : next.actors) actors.push_back(require(tables::actors(), name));
  for (const OracleInfo* oracle : tables::oracles())
    if (!leaves_out(next, oracle->name)) oracles.push_back(oracle);
  for (const Omission& omission : next.without)
    HARNESS_CHECK(is_oracle(omission.oracle), omission.oracle.c_str());
  kinds = counted_kinds(next);
}

// An exception before the tasks run is treated like one that leaves a task.
void Runner::State::drive(ErrorInjection errors) {
  const auto escaped = [this](const char* what) {
    Fault fault = fatal_fault(FaultKind::uncaught);
    fault.object_kind = "driver";
    fault.detail = what;
    stage->world.history.add(std::move(fault));
  };
  try {
    scenario->drive(stage->scene);
    for (const ActorInfo* actor : actors)
      if (errors == ErrorInjection::on || !actor->injects_errors) actor->install(stage->scene);
  } catch (const std::exception& exception) {
    escaped(exception.what());
  } catch (...) {
    escaped("not a std::exception");
  }
}

/// The part of a run that executes code of the target.
Ending Runner::State::play(ErrorInjection errors) {
  const World& world = stage->world;
  const CrashExit exit(leave, this);
  const Watched watched(world.device->runs_host_kernels() ? &world.scheduler.now() : nullptr);
  if (setjmp(landing) != 0) return stage->world.scheduler.abandon();
  drive(errors);
  return stage->world.scheduler.run();
}

void Runner::State::leave(void* argument, const Crash& crash) {
  State& state = *static_cast<State*>(argument);
  state.stale = true;
  state.stage->world.scheduler.crash(crash);
  std::longjmp(state.landing, 1);
}

void Runner::State::judge() {
  for (const OracleInfo* oracle : oracles) oracle->judge(stage->scene);
  if (scenario->judge != nullptr) scenario->judge(stage->scene);
}

static bool comes_of_one(const Scenario& scenario, const Fault& fault,
                         const std::vector<Fault>& caller_errors) {
  return scenario.comes_of != nullptr &&
         std::ranges::any_of(caller_errors, [&](const Fault& callers) {
           return scenario.comes_of(fault, callers);
         });
}

void Runner::State::conclude(Ending ending) {
  auto& [world, scene, devices] = *stage;
  outcome.ending = ending;
  outcome.endless = false;
  outcome.faults.clear();
  outcome.caller_errors.clear();
  outcome.windows.clear();
  outcome.ways.clear();
  outcome.contract = {};
  for (const Fault& fault : world.history.faults()) {
    stale |= fault.kind == FaultKind::crash;
    outcome.endless |= fault.kind == FaultKind::crash && fault.object_kind == kEndlessLoop;
    const int window = scenario->window_of != nullptr ? scenario->window_of(scene, fault) : -1;
    if (is_caller_error(*scenario, fault) ||
        comes_of_one(*scenario, fault, outcome.caller_errors)) {
      outcome.caller_errors.push_back(fault);
      if (window >= 0) outcome.contract.insert(static_cast<std::size_t>(window));
      continue;
    }
    const bool has_way = window >= 0 && scenario->way_of != nullptr;
    outcome.faults.push_back(fault);
    outcome.windows.push_back(static_cast<std::int8_t>(window));
    outcome.ways.push_back(static_cast<std::int8_t>(has_way ? scenario->way_of(scene, fault) : 0));
  }
  outcome.tape.assign(world.picker.tape().begin(), world.picker.tape().end());
  outcome.vacuous = scene.observed().vacuous();
  outcome.reached = scene.observed().reached;
  outcome.reached_by = scene.observed().reached_by;
  outcome.refused_by = scene.observed().refused_by;
  outcome.ops = scene.observed().ops;
  outcome.question_count = world.picker.question_count();
  outcome.turns = world.scheduler.now();
}

Runner::Runner() : state_(std::make_unique<State>()) {}
Runner::~Runner() = default;

const Outcome& Runner::run(const Scenario& scenario, std::size_t variant, const Config& config,
                           const DeviceInfo& device, Strategy& strategy, ErrorInjection errors) {
  State& state = *state_;
  Stage& stage = state.fresh_stage();
  World& world = stage.world;
  world.device = stage.device(device);
  state.look_up(scenario);
  const World::Guard guard(world);
  world.begin(strategy, scenario.turn_limit);
  world.history.enable(state.kinds);
  world.device->begin(world);
  stage.scene.begin(scenario, variant, config);
  const Ending ending = state.play(errors);
  const bool undefined = take_undefined_report();
  HARNESS_CHECK(!undefined || state.stale, "what UBSan lets pass in a target ends in a signal");
  world.device->end();
  state.judge();
  state.conclude(ending);
  return state.outcome;
}

const Outcome& Runner::run(const Case& the_case) {
  state_->replay.assign(the_case.tape);
  return run(the_case, state_->replay);
}

const Outcome& Runner::run(const Case& the_case, Strategy& strategy) {
  return run(*the_case.scenario, the_case.variant, the_case.config, *the_case.device, strategy,
             the_case.errors);
}

const Outcome& Runner::run(const Case& the_case, Instruments& instruments) {
  state_->fresh_stage().scene.set_instruments(&instruments);
  const Outcome& outcome = run(the_case);
  state_->stage->scene.set_instruments(nullptr);
  return outcome;
}

Tape Runner::never_asked(const Case& the_case) const {
  Tape decisions;
  for (const Decision& decision : the_case.tape)
    if (!state_->replay.is_met(decision)) decisions.push_back(decision);
  return decisions;
}

const History& Runner::history() const { return state_->stage->world.history; }
const World& Runner::world() const { return state_->stage->world; }
std::uint64_t Runner::trace_hash() const { return state_->stage->world.history.trace_hash(); }

}  // namespace harness
