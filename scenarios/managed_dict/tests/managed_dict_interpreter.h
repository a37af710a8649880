// SPDX-License-Identifier: Apache-2.0
// A single interpreter for tests that plant a fault or read bytes.
#pragma once

#include "scenarios/managed_dict/judges/judge.h"
#include "scenarios/managed_dict/tests/managed_dict_cases.h"
#include "targets/managed_dict/core.h"
#include "targets/managed_dict/interpreter.h"

namespace scenarios::managed_dict::testing {

namespace md = targets::managed_dict;

/// Access for a test while its interpreter runs.
struct Interpreter {
  md::Core& core;
  md::Program& program;
  md::Inspector& inspector;
  Judge& judge;
};

inline md::Setup quiet_setup(Judge& judge) {
  md::Setup setup;
  setup.observers = judge.observers();
  setup.compile_threshold = 1;
  return setup;
}

/// Runs `body(interpreter)` as the only task of a run, after `change(setup)`. Returns the
/// outcome.
template <class Body, class Change>
harness::Outcome run_interpreter(Body body, Change change) {
  static Body* the_body = nullptr;
  static Change* the_change = nullptr;
  the_body = &body;
  the_change = &change;
  harness::Scenario planted = scenario;
  planted.turn_limit = 1'000'000;
  planted.drive = [](harness::Scene& scene) {
    harness::Arena& arena = scene.world().arena;
    auto* runtime = arena.make<harness::Runtime>(scene.runtime());
    Judge* judge = arena.make<Judge>(scene);
    md::Setup setup = quiet_setup(*judge);
    (*the_change)(setup);
    md::Core* core = arena.make<md::Core>(*runtime, setup);
    judge->look_at(core->view, setup.version);
    core->writer = arena.make<md::Writer>(*core);
    md::Interpreter* path = arena.make<md::Interpreter>(*core);
    path->init();
    scene.exercised();
    scene.world().scheduler.spawn("script", [core, path, judge] {
      Interpreter interpreter{*core, path->statements(), path->inspection(), *judge};
      (*the_body)(interpreter);
    });
  };
  planted.window_of = [](const harness::Scene&, const harness::Fault&) { return -1; };
  static harness::Runner runner;
  return runner.run(harness::Case{&planted, 0, {}, &sim(), {}});
}

template <class Body>
harness::Outcome run_interpreter(Body body) {
  return run_interpreter(body, [](md::Setup&) {});
}

/// Makes an instance of _NoGrad and stores its attribute.
inline md::Address make_no_grad(Interpreter& on) {
  const md::Address object = on.core.attributes.make(on.core.types.named(md::Class::no_grad));
  on.core.attributes.set(object, 0, on.core.types.boolean(true));
  on.core.program_observer().attribute_set({object, 0, on.core.types.boolean(true), 1});
  return object;
}

}  // namespace scenarios::managed_dict::testing
