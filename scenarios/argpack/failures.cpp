// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/failures.h"

namespace scenarios::argpack {
namespace {

/// CUDA_ERROR_NOT_READY, which is not a failure.
constexpr std::uint64_t kNotReady = 600;

/// Returns whether this is an injected error: CUDA_ERROR_OUT_OF_MEMORY, or for a launch
/// CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES. Other errors come from wrong arguments, which others judge.
bool was_told_to(std::uint64_t error) { return error == 2 || error == 701; }

bool failed(const harness::Event& event, const harness::World& world) {
  return event.kind == harness::EventKind::call && event.value != 0 && event.value != kNotReady &&
         event.task == harness::raw(world.scheduler.current());
}

}  // namespace

bool met_failure(const Attempt& attempt, const harness::World& world) {
  if (world.injected_failures == 0) return false;
  const auto& events = world.history.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool is_own = i >= attempt.first_event;
    if (failed(events[i], world) && (is_own || events[i].what == harness::Label("cuCtxSetCurrent")))
      return true;
  }
  return false;
}

// The end of a program, in a reset or in a call that held its last reference, cannot report errors.
bool ignored_failure(const Attempt& attempt, const harness::World& world) {
  const bool ends_program = attempt.op == Op::reset || (attempt.seen & kReset) != 0;
  if (world.injected_failures == 0 || ends_program) return false;
  const auto& events = world.history.events();
  return std::any_of(events.begin() + attempt.first_event, events.end(),
                     [&](const harness::Event& event) {
                       return event.activation == attempt.activation && failed(event, world) &&
                              was_told_to(event.value);
                     });
}

}  // namespace scenarios::argpack
