// SPDX-License-Identifier: Apache-2.0
// Each backend keeps, frees and follows memory as its own code does: a fault of one backend is
// searched for on all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "harness/core/intervention/intervention.h"
#include "harness/run/strategies/random_walk.h"
#include "harness/search/reproducer/reproducer.h"
#include "scenarios/argpack/tests/argpack_cases.h"
#include "targets/argpack/page_cache.h"

namespace scenarios::argpack::testing {
namespace {

using harness::Event;
using harness::EventKind;
using harness::Fault;
using harness::History;
using harness::Outcome;
using targets::argpack::Backend;
using targets::argpack::kBackendLabels;
using targets::argpack::PageCache;

// ---- findings by backend ------------------------------------------------------------------------

/// Returns how many of this many runs of `borrow` on this backend, with a GIL, have a fault for
/// which `counts` is true.
template <class Counts>
std::uint64_t failing_runs(Backend backend, Counts counts, std::uint64_t runs = 6000) {
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  harness::Config config = harness::config_at(scenario, 0);
  config.values[kBackendAxis] = harness::raw(backend);
  std::uint64_t failing = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const Outcome& outcome = runner.run(scenario, variant_named("borrow"), config, sim(), walk,
                                        harness::ErrorInjection::off);
    for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
      if (!counts(outcome.faults[i], runner.history())) continue;
      ++failing;
      break;
    }
  }
  return failing;
}

bool is_of_a_gradient_that_a_launch_follows(const Fault& fault, const History&) {
  return fault.use_site == harness::Label("launch_kernel/gradient");
}
bool is_of_torch_memory(const Fault& fault, const History&) {
  return fault.object_kind == harness::Label("device memory") &&
         fault.birth_site == harness::Label("new_external");
}
/// Returns whether the dead object was freed after the last kernel was submitted. torch frees on
/// its own stream, so an earlier free may take effect later.
bool is_of_work_in_flight(const Fault& fault, const History& history) {
  if (!targets::argpack::is_kernel(fault.use_site)) return false;
  const bool is_torch = fault.birth_site == harness::Label("new_external");
  harness::Tick submitted = 0;
  harness::Tick free_submitted = 0;
  harness::Tick freed = 0;
  for (const Event& event : history.events()) {
    if (event.kind == EventKind::submit && event.what == harness::Label("free"))
      free_submitted = event.tick;
    if (event.kind == EventKind::submit && targets::argpack::is_kernel(event.what))
      submitted = event.tick;
    if (event.kind == EventKind::death && event.object == fault.object)
      freed = is_torch ? free_submitted : event.tick;
  }
  return freed > submitted;
}

TEST(ArgpackBackends, GfxAndAmdgpuFollowNoGradient) {
  for (const Backend backend : {Backend::cpu, Backend::cuda_pool, Backend::cuda_cache})
    EXPECT_GT(failing_runs(backend, is_of_a_gradient_that_a_launch_follows), 0u)
        << kBackendLabels[harness::raw(backend)].view();
  for (const Backend backend : {Backend::amdgpu, Backend::gfx})
    EXPECT_EQ(failing_runs(backend, is_of_a_gradient_that_a_launch_follows), 0u)
        << kBackendLabels[harness::raw(backend)].view();
}

TEST(ArgpackBackends, OnlyCudaUsesTorchMemoryInPlace) {
  for (const Backend backend : {Backend::cuda_pool, Backend::cuda_cache})
    EXPECT_GT(failing_runs(backend, is_of_torch_memory), 0u)
        << kBackendLabels[harness::raw(backend)].view();
  for (const Backend backend : {Backend::cpu, Backend::amdgpu, Backend::gfx})
    EXPECT_EQ(failing_runs(backend, is_of_torch_memory), 0u)
        << kBackendLabels[harness::raw(backend)].view();
}

TEST(ArgpackBackends, BackendsThatWaitOnFreeHaveNoWorkInFlight) {
  EXPECT_GT(failing_runs(Backend::cuda_pool, is_of_work_in_flight), 0u);
  for (const Backend backend : {Backend::cpu, Backend::cuda_cache, Backend::amdgpu})
    EXPECT_EQ(failing_runs(backend, is_of_work_in_flight), 0u)
        << kBackendLabels[harness::raw(backend)].view();
}

// ---- calls of one op ----------------------------------------------------------------------------

/// Returns the CUDA calls of the script's second op, each followed by a blank.
std::string calls_of_second_op(Backend backend, const std::string& program) {
  const std::string text = "afterlife reproducer 1\npath argpack\nvariant borrow\nconfig backend=" +
                           std::string(kBackendLabels[harness::raw(backend)].view()) +
                           " gil=on collector=eval_breaker\ndevice sim\ntasks script mutator\n" +
                           program + "end\n";
  harness::Runner runner;
  runner.run(harness::parse_reproducer(text, "test").the_case);
  std::string calls;
  std::uint32_t ops = 0;
  for (const Event& event : runner.history().events()) {
    if (event.kind == EventKind::op && event.task == 0) ++ops;
    if (event.kind == EventKind::call && ops == 2) calls += std::string(event.what.view()) + " ";
  }
  return calls;
}

TEST(ArgpackBackends, DeletingAPackWithCachedMemoryDoesNotWait) {
  const std::string program =
      "script:0 op new_argpack\nscript:0 argument[1] 1\nscript:1 op drop\nscript:2 op "
      "new_argpack\n";
  EXPECT_EQ(calls_of_second_op(Backend::cpu, program), "cuMemFree ");
  EXPECT_EQ(calls_of_second_op(Backend::cuda_pool, program), "cuMemFreeAsync ");
  EXPECT_EQ(calls_of_second_op(Backend::cuda_cache, program), "");
  EXPECT_EQ(calls_of_second_op(Backend::amdgpu, program), "");
}

TEST(ArgpackBackends, ALaunchFreesItsBuffersByTheirAllocator) {
  const std::string program =
      "script:0 op new_argpack\nscript:0 argument[1] 1\nscript:1 op call\nscript:1 argument[3] 1\n"
      "script:2 op new_argpack\n";
  EXPECT_EQ(calls_of_second_op(Backend::cuda_pool, program),
            "cuMemAllocAsync cuMemAllocAsync cuMemcpyHtoDAsync cuLaunchKernel cuMemFreeAsync "
            "cuMemFreeAsync ");
  EXPECT_EQ(calls_of_second_op(Backend::cuda_cache, program),
            "cuMemAlloc cuMemAlloc cuMemcpyHtoDAsync cuLaunchKernel cuMemFree cuMemFree ");
  EXPECT_EQ(calls_of_second_op(Backend::amdgpu, program),
            "cuMemAlloc cuMemAlloc cuMemcpyHtoDAsync cuLaunchKernel cuStreamSynchronize cuMemFree "
            "cuStreamSynchronize cuMemFree ");
}

// ---- a context that was launched ----------------------------------------------------------------

using Sites = std::vector<std::string>;

/// Returns the use sites of the faults of a program whose script launches a context with a pack and
/// the objects that `made` makes, and continues with `rest`.
Sites uses_after_launch(Backend backend, const std::string& rest, const std::string& made = "") {
  const std::string text =
      "afterlife reproducer 1\npath argpack\nvariant borrow\nconfig backend=" +
      std::string(kBackendLabels[harness::raw(backend)].view()) +
      " gil=on collector=eval_breaker\ndevice sim\ntasks script mutator\n"
      "script:0 op new_argpack\n" +
      made + "script:2 op make_context\nscript:2 argument[1] 1\nscript:3 op launch\n" + rest +
      "end\n";
  harness::Runner runner;
  const Outcome& outcome = runner.run(harness::parse_reproducer(text, "test").the_case);
  Sites sites;
  for (const Fault& fault : outcome.faults) sites.emplace_back(fault.use_site.view());
  return sites;
}

const std::string kLaunchAgain = "script:4 op launch\n";
constexpr std::array kDevices{Backend::cuda_pool, Backend::cuda_cache, Backend::amdgpu};

TEST(ArgpackBackends, ASecondLaunchUsesTheFreedArgumentBuffer) {
  for (const Backend backend : kDevices)
    EXPECT_EQ(uses_after_launch(backend, kLaunchAgain), Sites{"launch_kernel/arguments"});
  for (const Backend backend : {Backend::cpu, Backend::gfx})
    EXPECT_EQ(uses_after_launch(backend, kLaunchAgain), Sites{});
}

TEST(ArgpackBackends, ASecondLaunchStoresEachAddressAfterFollowingIt) {
  const std::string gone = "script:4 op drop\nscript:4 argument 1\nscript:5 op launch\n";
  const std::string array = "script:1 op new_ndarray\n";
  for (const Backend backend : kDevices) {
    EXPECT_EQ(uses_after_launch(backend, gone), Sites{"launch_kernel/nested_pack"});
    EXPECT_EQ(uses_after_launch(backend, gone, array), Sites{"launch_kernel/arguments"});
  }
}

TEST(ArgpackBackends, ASecondLaunchLosesItsResultInTheFreedResultBuffer) {
  for (const Backend backend : kDevices) {
    harness::Intervention kept(harness::Hold{.object = "argument buffer"});
    const harness::Intervention::Current current(kept);
    EXPECT_EQ(uses_after_launch(backend, kLaunchAgain), Sites{"launch_kernel/results"});
  }
}

TEST(ArgpackBackends, SettingAnArgumentAfterALaunchUsesTheFreedBuffer) {
  const std::string other = "script:4 op make_context\nscript:4 argument 12\nscript:5 op ";
  const std::string pack = other + "set_arg_argpack\nscript:5 argument 11\n";
  const std::string scalar = other + "set_arg_scalar\nscript:5 argument 11\n";
  for (const Backend backend : kDevices) {
    EXPECT_EQ(uses_after_launch(backend, pack), Sites{"set_arg_argpack"});
    EXPECT_EQ(uses_after_launch(backend, scalar), Sites{"set_arg_int"});
  }
  for (const Backend backend : {Backend::cpu, Backend::gfx}) {
    EXPECT_EQ(uses_after_launch(backend, pack), Sites{});
    EXPECT_EQ(uses_after_launch(backend, scalar), Sites{});
  }
}

// ---- pages --------------------------------------------------------------------------------------

std::uint32_t page(PageCache& cache) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cache.allocate(address), targets::argpack::Status::ok);
  return static_cast<std::uint32_t>(address / PageCache::kPageBytes);
}
void free(PageCache& cache, std::uint32_t page) { cache.free(page * PageCache::kPageBytes); }

TEST(ArgpackPages, ASinglePageIsReusedBeforeAMergedBlock) {
  PageCache cuda(true);
  PageCache amdgpu(false);
  for (PageCache* cache : {&cuda, &amdgpu}) {
    for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(page(*cache), i);
    for (const std::uint32_t i : {0u, 1u, 3u}) free(*cache, i);
  }
  EXPECT_EQ(page(cuda), 3u);
  EXPECT_EQ(page(cuda), 0u);
  EXPECT_EQ(page(cuda), 1u);
  EXPECT_EQ(page(cuda), 5u);
  EXPECT_EQ(page(amdgpu), 0u);
  EXPECT_EQ(page(amdgpu), 1u);
  EXPECT_EQ(page(amdgpu), 3u);
}

TEST(ArgpackPages, ALookedUpNeighborPreventsTheNextMerge) {
  PageCache cache(true);
  for (std::uint32_t i = 0; i < 4; ++i) page(cache);
  for (const std::uint32_t i : {0u, 1u, 2u}) free(cache, i);
  EXPECT_EQ(page(cache), 2u);
  EXPECT_EQ(page(cache), 0u);
}

TEST(ArgpackPages, TheNextProgramStartsWithAllPagesFree) {
  PageCache cache(true);
  for (std::uint32_t i = 0; i < 3; ++i) page(cache);
  free(cache, 1);
  cache.reset();
  EXPECT_EQ(page(cache), 0u);
}

}  // namespace
}  // namespace scenarios::argpack::testing
