// SPDX-License-Identifier: Apache-2.0
// Broken paths: the sound policy, or a call of its job, with a single bug. They are not
// variants.
#pragma once

#include "harness/search/tests/corpus.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"
#include "targets/alltoallv/job.h"
#include "targets/alltoallv/one_repair_less.h"

namespace scenarios::alltoallv::testing {

using namespace targets::alltoallv;  // The whole file concerns the target's parts.
using harness::Case;

/// Forwards every call.
class Wrapper : public Alltoallv {
 public:
  explicit Wrapper(Alltoallv& path) : path_(path) {}
  Status open(std::uint32_t rank) override { return path_.open(rank); }
  void close(std::uint32_t rank) override { path_.close(rank); }
  void create_team(std::uint32_t rank, std::uint32_t team, Topology topology) override {
    path_.create_team(rank, team, topology);
  }
  void destroy_team(std::uint32_t rank, std::uint32_t team) override {
    path_.destroy_team(rank, team);
  }
  void start_progress_thread(std::uint32_t rank) override { path_.start_progress_thread(rank); }
  void start_spare_thread(std::uint32_t rank) override { path_.start_spare_thread(rank); }
  Status fill(std::uint32_t rank, Buffer buffer, std::uint32_t fill,
              std::uint32_t stream) override {
    return path_.fill(rank, buffer, fill, stream);
  }
  bool filled(std::uint32_t rank, Buffer buffer) const override {
    return path_.filled(rank, buffer);
  }
  void drop(std::uint32_t rank, Buffer buffer) override { path_.drop(rank, buffer); }
  void make_cycle(std::uint32_t rank, Buffer buffer) override { path_.make_cycle(rank, buffer); }
  void collect(std::uint32_t rank) override { path_.collect(rank); }
  Status prepare(std::uint32_t rank, Request request, const Arguments& arguments) override {
    return path_.prepare(rank, request, arguments);
  }
  Status init(std::uint32_t rank, Request request, const Arguments& arguments) override {
    return path_.init(rank, request, arguments);
  }
  void post(std::uint32_t rank, Request request) override { path_.post(rank, request); }
  void triggered_post(std::uint32_t rank, Request request) override {
    path_.triggered_post(rank, request);
  }
  void progress(std::uint32_t rank) override { path_.progress(rank); }
  Status test(std::uint32_t rank, Request request) const override {
    return path_.test(rank, request);
  }
  Status wait(std::uint32_t rank, Request request) override { return path_.wait(rank, request); }
  Status check(std::uint32_t rank, Request request, std::span<const Row> rows) override {
    return path_.check(rank, request, rows);
  }
  Status scrub(std::uint32_t rank, Request request) override { return path_.scrub(rank, request); }
  void finalize(std::uint32_t rank, Request request) override { path_.finalize(rank, request); }

 protected:
  Alltoallv& path_;
};

template <class Lifetime>
Alltoallv* make_policy(harness::Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  core.policy = arena.make<Lifetime>(core);
  return arena.make<Job>(core);
}

template <class Broken>
Alltoallv* make_wrapper(harness::Runtime& runtime, const Setup& setup) {
  return runtime.scheduler.arena().make<Broken>(*make_policy<SnapshotRegion>(runtime, setup));
}

/// Returns the scenario with that path in place of snapshot_region, under the same claim.
template <Maker make>
const harness::Scenario& broken_scenario() {
  static const harness::Scenario broken = [] {
    harness::Scenario other = scenario;
    other.drive = [](harness::Scene& scene) { drive_path(scene, {.slots = 10}, make); };
    return other;
  }();
  return broken;
}

template <Maker make>
std::vector<std::string> run_broken(const char* config, const Program& program) {
  harness::Runner runner;
  const harness::Scenario& broken = broken_scenario<make>();
  return faults_of(runner.run(Case{&broken, variant_named("snapshot_region"),
                                   harness::parse_config(broken, config), &sim(), program.tape()}));
}
template <class Lifetime>
std::vector<std::string> run_policy(const char* config, const Program& program) {
  return run_broken<make_policy<Lifetime>>(config, program);
}
template <class Broken>
std::vector<std::string> run_wrapper(const char* config, const Program& program) {
  return run_broken<make_wrapper<Broken>>(config, program);
}

/// Returns the faults of the first failing run of the program with at most two more choices.
template <class Lifetime>
std::vector<std::string> search_policy(Case the_case) {
  harness::Runner runner;
  the_case.scenario = &broken_scenario<make_policy<Lifetime>>();
  the_case.variant = variant_named("snapshot_region");
  harness::Limits limits;
  limits.run_limit = 200'000;
  limits.second_limit = 600;
  const harness::Proof proof = harness::prove(runner, the_case, 2, limits, {});
  return proof.failed ? faults_of(runner.run(proof.failing)) : std::vector<std::string>{};
}

}  // namespace scenarios::alltoallv::testing
