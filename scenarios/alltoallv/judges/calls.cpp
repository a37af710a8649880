// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/calls.h"

#include "harness/core/fault/kinds.h"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory_resource>

namespace scenarios::alltoallv {
namespace {

using harness::Event;
using harness::EventKind;
using harness::Label;

constexpr Label kOpen = "cuIpcOpenMemHandle";
constexpr int kMostRefusals = 3;  ///< The open, one after a clear, and one after a purge.

bool is_error(const Event& event) {
  return event.kind == EventKind::call && event.value != CUDA_SUCCESS &&
         event.value != CUDA_ERROR_NOT_READY;
}

bool is_refused_open(const Event& event) {
  return event.kind == EventKind::call && event.what == kOpen &&
         event.value == CUDA_ERROR_ALREADY_MAPPED;
}

void report(harness::Scene& scene, const Event& event, Label what, const char* why) {
  harness::Fault fault;
  fault.kind = harness::FaultKind::api_misuse;
  fault.object_kind = what;
  fault.use_site = "driver";
  fault.activation = event.activation;
  fault.tick = event.tick;
  fault.detail = why;
  scene.world().history.add(std::move(fault));
}

}  // namespace

bool was_already_mapped_twice(const harness::World& world) {
  const auto& events = world.history.events();
  const auto task = harness::raw(world.scheduler.current());
  int count = 0;
  for (std::size_t i = events.size(); i-- > 0;) {
    if (events[i].task != task || events[i].kind != EventKind::call || events[i].what != kOpen)
      continue;
    if (!is_refused_open(events[i])) return false;
    if (++count == 2) return true;
  }
  return false;
}

Failures failures_of(const harness::World& world, harness::Name activation, std::size_t since) {
  const auto& events = world.history.events();
  Failures found;
  Label failed;  // The previous call, if it failed.
  int refusals = 0;
  for (std::size_t i = since; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.kind != EventKind::call || event.activation != activation) continue;
    found.error |= !failed.empty() && failed != event.what;
    const bool refused = is_refused_open(event);
    failed = is_error(event) && !refused ? event.what : Label();
    if (event.what == kOpen) refusals = refused ? refusals + 1 : 0;
    found.refused |= refusals == kMostRefusals;
  }
  found.error |= !failed.empty();
  return found;
}

std::size_t transfers_of(const harness::World& world, harness::Name activation, std::size_t since) {
  constexpr Label kCopy = "cuMemcpyDtoDAsync";
  constexpr Label kBatch = "cuMemcpyBatchAsync";
  constexpr Label kLaunch = "cuLaunchKernel";
  const auto& events = world.history.events();
  std::size_t count = 0;
  for (std::size_t i = since; i < events.size(); ++i)
    count += events[i].kind == EventKind::call && events[i].activation == activation &&
             events[i].value == CUDA_SUCCESS &&
             (events[i].what == kCopy || events[i].what == kBatch || events[i].what == kLaunch);
  return count;
}

void report_wrong_calls(harness::Scene& scene) {
  if (scene.world().injected_failures > 0) return;
  std::vector<Label> reported;
  for (const Event& event : scene.world().history.events()) {
    if (!is_error(event) || is_refused_open(event)) continue;
    if (std::find(reported.begin(), reported.end(), event.what) != reported.end()) continue;
    reported.push_back(event.what);
    report(scene, event, event.what, "failed without an injected error");
  }
}

void report_busy_opens(harness::Scene& scene, std::span<const std::uint32_t> planned_polls) {
  // Allows 20 polls of one collective, each of which may try to open the memory of each peer. The
  // polls that the plan makes while a rank stays behind come on top.
  constexpr std::uint32_t kPolls = 20, kFewestPeers = 3;
  const std::uint32_t opens = std::max(kFewestPeers, rank_count(scene.config()) - 1);
  const harness::World& world = scene.world();
  std::array<std::uint32_t, targets::alltoallv::kRankLimit> refusals{};
  for (const Event& event : world.history.events()) {
    if (event.kind != EventKind::call || event.task == 0xffff) continue;
    const auto task = static_cast<harness::TaskId>(event.task);
    const auto process = harness::raw(world.scheduler.tasks().process(task));
    std::uint32_t& count = refusals[process];
    count = is_refused_open(event) ? count + 1 : 0;
    if (count > opens * (kPolls + planned_polls[process]))
      return report(scene, event, event.what, "made again and again, in vain");
  }
}

void report_left_contexts(harness::Scene& scene) {
  constexpr Label kPush = "cuCtxPushCurrent";
  constexpr Label kPop = "cuCtxPopCurrent";
  struct Left {
    int depth = 0;
    const Event* last = nullptr;
  };
  std::pmr::map<std::uint16_t, Left> threads;
  for (const Event& event : scene.world().history.events()) {
    if (event.kind != EventKind::call || (event.what != kPush && event.what != kPop)) continue;
    Left& left = threads[event.task];
    left.depth += event.what == kPush ? 1 : -1;
    left.last = &event;
  }
  for (const auto& [task, left] : threads)
    if (left.depth != 0)
      report(scene, *left.last, "context", "a thread ends with another one than it began with");
}

}  // namespace scenarios::alltoallv
