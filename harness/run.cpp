// How it works. One world, one stage and one device of each kind are made once; every run begins
// them anew. What a scenario names (actors, oracles) is looked up when the scenario changes.
#include "harness/run.h"

#include <exception>
#include <optional>

#include "harness/pick_replay.h"
#include "harness/world.h"

namespace harness {
namespace {

template <class Info>
const Info* require(std::span<const Info* const> table, Label name) {
  const Info* info = find(table, name.view());
  HARNESS_CHECK(info != nullptr, name.c_str());
  return info;
}

}  // namespace

struct Runner::State {
  World world;
  Scene scene{world};
  Outcome outcome;
  Replay replay;
  std::vector<std::pair<const DeviceInfo*, std::unique_ptr<Device>>> devices;
  // Of the scenario that ran last.
  const Scenario* scenario = nullptr;
  std::vector<const ActorInfo*> actors;
  std::vector<const OracleInfo*> oracles;
  FaultKinds kinds = 0;

  Device* device(const DeviceInfo& info);
  void look_up(const Scenario& next);
  void drive();
  void judge();
  void conclude(Ending ending);
};

Device* Runner::State::device(const DeviceInfo& info) {
  for (const auto& [known, made] : devices)
    if (known == &info) return made.get();
  return devices.emplace_back(&info, std::unique_ptr<Device>(info.make())).second.get();
}

void Runner::State::look_up(const Scenario& next) {
  if (scenario == &next) return;
  scenario = &next;
  actors.clear();
  oracles.clear();
  kinds = 0;
  for (const Label name : next.actors) actors.push_back(require(tables::actors(), name));
  for (const Label name : next.oracles) {
    oracles.push_back(require(tables::oracles(), name));
    kinds |= oracles.back()->kinds;
  }
}

// An exception before the tasks run is like one that leaves a task.
void Runner::State::drive() {
  const auto escaped = [this](const char* what) {
    Fault fault = fatal_fault(FaultKind::uncaught);
    fault.object_kind = "driver";
    fault.detail = what;
    world.history.add(std::move(fault));
  };
  try {
    scenario->drive(scene);
    for (const ActorInfo* actor : actors) actor->install(scene);
  } catch (const std::exception& exception) {
    escaped(exception.what());
  } catch (...) {
    escaped("not a std::exception");
  }
}

void Runner::State::judge() {
  for (const OracleInfo* oracle : oracles)
    if (oracle->judge != nullptr) oracle->judge(scene);
  if (scenario->judge != nullptr) scenario->judge(scene);
}

void Runner::State::conclude(Ending ending) {
  outcome.ending = ending;
  outcome.faults.clear();
  outcome.caller_errors.clear();
  outcome.windows.clear();
  for (const Fault& fault : world.history.faults()) {
    if (is_caller_error(*scenario, fault)) {
      outcome.caller_errors.push_back(fault);
      continue;
    }
    const int window = scenario->window_of != nullptr ? scenario->window_of(scene, fault) : -1;
    outcome.faults.push_back(fault);
    outcome.windows.push_back(static_cast<std::int8_t>(window));
  }
  outcome.tape.assign(world.picker.tape().begin(), world.picker.tape().end());
  outcome.vacuous = scene.vacuous();
  outcome.reached = scene.reached();
  outcome.ops = scene.ops();
  outcome.question_count = world.picker.question_count();
  outcome.turns = world.scheduler.now();
}

Runner::Runner() : state_(std::make_unique<State>()) {}
Runner::~Runner() = default;

const Outcome& Runner::run(const Scenario& scenario, std::size_t variant, const Config& config,
                           const DeviceInfo& device, Strategy& strategy) {
  State& state = *state_;
  World& world = state.world;
  world.device = state.device(device);
  state.look_up(scenario);
  const World::Guard guard(world);
  world.begin(strategy, scenario.turn_limit);
  world.history.enable(state.kinds);
  world.device->begin(world);
  state.scene.begin(scenario, variant, config);
  state.drive();
  const Ending ending = world.scheduler.run();
  world.device->end();
  state.judge();
  state.conclude(ending);
  return state.outcome;
}

const Outcome& Runner::run(const Case& the_case) {
  state_->replay.assign(the_case.tape);
  return run(*the_case.scenario, the_case.variant, the_case.config, *the_case.device,
             state_->replay);
}

const Outcome& Runner::run(const Case& the_case, Instruments& instruments) {
  state_->scene.instruments = &instruments;
  const Outcome& outcome = run(the_case);
  state_->scene.instruments = nullptr;
  return outcome;
}

const History& Runner::history() const { return state_->world.history; }
const World& Runner::world() const { return state_->world; }
std::uint64_t Runner::trace_hash() const { return state_->world.history.trace_hash(); }

}  // namespace harness
