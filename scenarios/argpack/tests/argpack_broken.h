// SPDX-License-Identifier: Apache-2.0
// Broken: paths with a single bug each, and the first fault that results from it.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/core/fault/kinds.h"
#include "harness/run/strategies/random_walk.h"
#include "scenarios/argpack/tests/argpack_cases.h"
#include "targets/argpack/own.h"
#include "targets/argpack/script.h"

namespace scenarios::argpack::testing {

/// Makes the path with this policy.
template <class Policy>
targets::argpack::Argpack make(harness::Runtime& runtime, const targets::argpack::Setup& setup) {
  using targets::argpack::Core;
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  return arena.make<targets::argpack::Script>(core, *arena.make<Policy>(core))->path();
}

// ---- a path with one part broken ----------------------------------------------------------------

/// One interface of a whole path. A subclass overrides single calls; the others are forwarded.
template <class Interface>
class Whole : public Interface {
 public:
  explicit Whole(Interface& path) : path_(path) {}

 protected:
  using Status = targets::argpack::Status;
  using Variable = targets::argpack::Variable;

  Interface& path_;
};

struct WholePrograms : Whole<targets::argpack::Programs> {
  using Interface = targets::argpack::Programs;
  using Whole::Whole;
  Status init() override { return path_.init(); }
  Status reset() override { return path_.reset(); }
  Status synchronize() override { return path_.synchronize(); }
  Status flush() override { return path_.flush(); }
};

struct WholePacks : Whole<targets::argpack::Packs> {
  using Interface = targets::argpack::Packs;
  using Whole::Whole;
  Status new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                     Variable array) override {
    return path_.new_argpack(into, depth, value, array);
  }
  Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) override {
    return path_.set_scalar(pack, level, value);
  }
  Status replace_nested(Variable pack, std::uint32_t level, std::int32_t value) override {
    return path_.replace_nested(pack, level, value);
  }
  Status set_nested(Variable pack, std::uint32_t level, Variable child) override {
    return path_.set_nested(pack, level, child);
  }
  Status get_nested(Variable into, Variable pack, std::uint32_t level) override {
    return path_.get_nested(into, pack, level);
  }
};

struct WholeArrays : Whole<targets::argpack::Arrays> {
  using Interface = targets::argpack::Arrays;
  using Whole::Whole;
  Status new_ndarray(Variable into, std::int32_t value, bool with_gradient) override {
    return path_.new_ndarray(into, value, with_gradient);
  }
  Status fill(Variable array, std::int32_t value) override { return path_.fill(array, value); }
  Status set_gradient(Variable array) override { return path_.set_gradient(array); }
  Status drop_gradient(Variable array) override { return path_.drop_gradient(array); }
  Status new_external(Variable into, targets::argpack::Storage storage,
                      std::int32_t value) override {
    return path_.new_external(into, storage, value);
  }
  Status resize_external(Variable external) override { return path_.resize_external(external); }
  Status to_numpy(Variable array) override { return path_.to_numpy(array); }
};

struct WholeCalls : Whole<targets::argpack::Calls> {
  using Interface = targets::argpack::Calls;
  using Whole::Whole;
  Status call(const targets::argpack::Arguments& arguments) override {
    return path_.call(arguments);
  }
};

struct WholeContexts : Whole<targets::argpack::Contexts> {
  using Interface = targets::argpack::Contexts;
  using Whole::Whole;
  Status make_context(Variable into) override { return path_.make_context(into); }
  Status set_arg_argpack(Variable context, Variable pack) override {
    return path_.set_arg_argpack(context, pack);
  }
  Status set_arg_ndarray(Variable context, Variable array) override {
    return path_.set_arg_ndarray(context, array);
  }
  Status set_arg_ndarray_with_grad(Variable context, Variable array) override {
    return path_.set_arg_ndarray_with_grad(context, array);
  }
  Status set_arg_external(Variable context, Variable external) override {
    return path_.set_arg_external(context, external);
  }
  Status set_arg_scalar(Variable context, std::int32_t value) override {
    return path_.set_arg_scalar(context, value);
  }
  Status compile(Variable context) override { return path_.compile(context); }
  Status launch(Variable context, bool returns) override { return path_.launch(context, returns); }
};

/// Returns the broken part if it implements this interface, or else the whole path's.
template <class Interface, class Part>
Interface& either(Interface& whole, Part& broken) {
  if constexpr (std::is_base_of_v<Interface, Part>)
    return broken;
  else
    return whole;
}

template <class Interface>
Interface& part_of(const targets::argpack::Argpack& path) {
  using namespace targets::argpack;  // For all its interfaces.
  if constexpr (std::is_same_v<Interface, Programs>) return path.programs;
  if constexpr (std::is_same_v<Interface, Packs>) return path.packs;
  if constexpr (std::is_same_v<Interface, Arrays>) return path.arrays;
  if constexpr (std::is_same_v<Interface, Calls>) return path.calls;
  if constexpr (std::is_same_v<Interface, Contexts>) return path.contexts;
}

/// Makes the path under `own`, with `Part` in front of one of its interfaces.
template <class Part>
targets::argpack::Argpack break_path(harness::Runtime& runtime,
                                     const targets::argpack::Setup& setup) {
  const auto whole = make<targets::argpack::Own>(runtime, setup);
  auto& part = *runtime.scheduler.arena().make<Part>(part_of<typename Part::Interface>(whole));
  return {either(whole.programs, part),
          either(whole.packs, part),
          either(whole.arrays, part),
          whole.globals,
          whole.garbage,
          either(whole.calls, part),
          either(whole.contexts, part)};
}

// ---- the result of it ---------------------------------------------------------------------------

template <Maker maker>
void drive_broken(harness::Scene& scene) {
  drive_path(scene, {}, maker);
}

/// Returns the configs of this backend, or all.
inline std::vector<harness::Config> configs_of(std::optional<targets::argpack::Backend> backend) {
  std::vector<harness::Config> configs;
  for (std::size_t i = 0; i < config_count(scenario); ++i) {
    const harness::Config config = harness::config_at(scenario, i);
    if (!backend || config.values[kBackendAxis] == harness::raw(*backend))
      configs.push_back(config);
  }
  return configs;
}

/// Returns the first fault of this kind (and use site, if given) within this many runs, under the
/// claim of `own`.
template <Maker maker>
harness::Fault find(harness::FaultKind kind, std::string_view use_site = {},
                    std::uint64_t runs = 20'000,
                    std::optional<targets::argpack::Backend> backend = {}) {
  const std::vector<harness::Config> configs = configs_of(backend);
  harness::Scenario broken = scenario;
  broken.drive = drive_broken<maker>;
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const harness::Config config = configs[run % configs.size()];
    const auto& outcome = runner.run(broken, variant_named("own"), config, sim(), walk);
    for (const harness::Fault& fault : outcome.faults)
      if (fault.kind == kind && (use_site.empty() || fault.use_site.view() == use_site))
        return fault;
  }
  ADD_FAILURE() << "no " << harness::to_label(kind).view() << " in " << runs << " runs";
  return {};
}

}  // namespace scenarios::argpack::testing
