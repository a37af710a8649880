// SPDX-License-Identifier: Apache-2.0
// Wrapper: a stock interpreter with a broken call or part, and the faults that result from
// it.
#pragma once

#include <string>
#include <vector>

#include "harness/core/fault/kinds.h"
#include "scenarios/managed_dict/player.h"
#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {

/// Forwards every call.
class Wrapper : public md::Statements {
 public:
  Wrapper(md::Core& core, md::Program& path) : core_(core), path_(path) {}
  Status new_instance(Variable into, Class of) override { return path_.new_instance(into, of); }
  Status del_instance(Variable variable) override { return path_.del_instance(variable); }
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind) override {
    return path_.store_attr(variable, attribute, kind);
  }
  Status load_attr(Variable variable, Attribute attribute) override {
    return path_.load_attr(variable, attribute);
  }
  Status delete_attr(Variable variable, Attribute attribute) override {
    return path_.delete_attr(variable, attribute);
  }
  Status access_dict(Variable variable) override { return path_.access_dict(variable); }
  Status replace_dict(Variable variable) override { return path_.replace_dict(variable); }
  Status delete_dict(Variable variable) override { return path_.delete_dict(variable); }
  Status set_class(Variable variable, Class to) override { return path_.set_class(variable, to); }
  Status set_type_attr(Class of) override { return path_.set_type_attr(of); }
  Status subclass(Class of) override { return path_.subclass(of); }
  Status collect() override { return path_.collect(); }
  Status hold_noise(std::uint32_t bytes) override { return path_.hold_noise(bytes); }
  Status drop_noise() override { return path_.drop_noise(); }
  Status with_block(std::uint32_t depth, md::Body body) override {
    return path_.with_block(depth, body);
  }
  Status launch(Variable variable) override { return path_.launch(variable); }
  bool clear_up() override { return path_.clear_up(); }

 protected:
  /// Returns all live instances.
  std::vector<md::Address> instances() const {
    std::vector<md::Address> objects;
    core_.memory.blocks().for_each_live([&](const md::Block& block) {
      if (block.kind == md::BlockKind::instance) objects.push_back(md::object_in(block));
    });
    return objects;
  }

  md::Core& core_;
  md::Program& path_;
};

/// A path whose statements are routed through another object first.
class Detour final : public md::ManagedDict {
 public:
  Detour(ManagedDict& path, md::Statements& way) : path_(path), way_(way) {}
  Status init() override { return path_.init(); }
  md::Statements& statements() override { return way_; }
  md::JitControl& jit() override { return path_.jit(); }
  md::Inspection& inspection() override { return path_.inspection(); }

 private:
  ManagedDict& path_;
  md::Statements& way_;
};

/// Runs the program on a broken `stock`. Returns kinds and object kinds of the faults.
template <class Broken>
std::vector<std::string> run(const Program& program,
                             const char* config = "layout=cpython312 compiler=inline") {
  static harness::Runner runner;
  harness::Scenario broken = scenario;
  broken.drive = [](harness::Scene& scene) {
    drive_path(scene, [](harness::Runtime& runtime, const md::Setup& setup) -> md::ManagedDict* {
      md::Core* core = runtime.scheduler.arena().make<md::Core>(runtime, setup);
      core->writer = runtime.scheduler.arena().make<md::Writer>(*core);
      auto* path = runtime.scheduler.arena().make<md::Interpreter>(*core);
      auto* way = runtime.scheduler.arena().make<Broken>(*core, path->statements());
      return runtime.scheduler.arena().make<Detour>(*path, *way);
    });
  };
  std::vector<std::string> words;
  const harness::Case the_case{&broken, variant_named("stock"),
                               harness::parse_config(scenario, config), &sim(), program.tape()};
  for (const harness::Fault& fault : runner.run(the_case).faults)
    words.push_back(std::string(to_label(fault.kind).view()) + " " + fault.object_kind.c_str() +
                    (fault.use_site == harness::Label("bound") ? " bound" : ""));
  return words;
}

/// Returns a program with something to judge for every judge.
inline Program everything() {
  return Program()
      .script(Op::new_instance, {0, 1})
      .script(Op::store_attr)
      .script(Op::load_attr)
      .script(Op::access_dict)
      .script(Op::with_block)
      .script(Op::subclass)
      .script(Op::launch);
}

}  // namespace scenarios::managed_dict::testing
