// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/model/refuse.h"

namespace scenarios::argpack {
namespace {

using targets::argpack::kNothing;
using targets::argpack::Status;

Cases when(bool condition, Cases cases) { return condition ? cases : 0; }

Cases of_context(const Context& context, const Model& model) {
  const auto is_stale = [&](const Bound& bound) {
    return bound.thing != nullptr && model.is_stale(*bound.thing);
  };
  return when(context.launched, kSpent) | when(context.generation != model.generation(), kInvalid) |
         when(!context.complete(), kUnbound) |
         when(std::ranges::any_of(context.binding.places, is_stale), kBindsStale);
}

Cases of_thing(const Thing& thing, const Watch& watch, const Model& model) {
  switch (thing.kind) {
    case Kind::nothing:
      return 0;
    case Kind::context:
      return of_context(*thing.context, model);
    case Kind::external:
      return when(model.may_run(thing.last_launch) || model.is_bound(thing), kHeld) |
             when(model.is_bound(thing), kExported);
    case Kind::pack:
    case Kind::ndarray:
      return when(thing.kind == Kind::pack && thing.depth < watch.depth, kMisfit) |
             when(model.is_stale(thing), kStale) |
             when(thing.generation != model.generation(), kStaleRoot);
  }
  return 0;
}

/// Returns whether every child that set_nested may have loaded fits every such parent.
bool child_fits(const Watch& parents, const Watch& children) {
  const auto fits = [&](const Thing* parent, const Thing* child) {
    return parent == nullptr || child == nullptr ||
           child->depth + (parents.depth - 1) == parent->depth;
  };
  return std::ranges::all_of(parents.met, [&](const Thing* parent) {
    return std::ranges::all_of(children.met,
                               [&](const Thing* child) { return fits(parent, child); });
  });
}

constexpr std::array<Refusal, 14> kRefusals{{
    {kNames, Status::name_error, kEmpty, kEmpty, false, "Python: the name is not defined"},
    {kMember, Status::type_error, kMisfit, kMisfit, false, "the pack has no such member"},
    {kUsesNothing, Status::no_program, kNoProgram, 0, false,
     "ti.init() has not run since the last reset"},
    {kObject | kMember, Status::stale_object, kStale, 0, false,
     "a wrapper from before reset() can only be dropped", Window::stale_wrapper},
    {kObject, Status::stale_object, kStale, kStaleRoot, true,
     "a wrapper from before reset() can only be dropped", Window::stale_wrapper},
    {kCalls, Status::argument_limit, kTooMany, kTooMany, false,
     "exceed_max_arg_num: raised before the launch"},
    {kLaunches, Status::unbound, kUnbound, kUnbound, false,
     "nothing to launch: a pack is missing, or the kernel was not compiled"},
    {kUsesNothing, Status::driver_error, kInjected, 0, false,
     "an error was injected into one of its CUDA calls"},
    {kStorage, Status::buffer_error, kHeld, kExported, true,
     "exported storage cannot be resized, as numpy's BufferError"},
    {kContext, Status::context_spent, kSpent, kSpent, true, "a launch context is single use",
     Window::context_reused},
    {kContext, Status::context_invalid, kInvalid, kInvalid, true,
     "a context is of one program, which was reset", Window::taken_reentrantly},
    {kCalls, Status::context_invalid, kReset, 0, true,
     "the program was reset while the call was being made", Window::taken_reentrantly},
    {kCalls, Status::invalid_allocation, kReset, 0, false,
     "the call's own program has no table any more, or the next one none that goes so far",
     Window::taken_reentrantly},
    {kObject | kLaunches, Status::invalid_allocation, kStale | kInvalid | kBindsStale, 0, false,
     "what is bound, written or read is of a program that has ended, and not in the next one's",
     Window::taken_reentrantly},
}};

// ---- injected errors ----

/// CUDA_ERROR_NOT_READY, which is not a failure.
constexpr std::uint64_t kNotReady = 600;

/// Returns whether this is an injected error: CUDA_ERROR_OUT_OF_MEMORY, or for a launch
/// CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES. Other errors come from wrong arguments, which others judge.
bool is_injected(std::uint64_t error) { return error == 2 || error == 701; }

bool failed(const harness::Event& event, const harness::World& world) {
  return event.kind == harness::EventKind::call && event.value != 0 && event.value != kNotReady &&
         event.task == harness::raw(world.scheduler.current());
}

}  // namespace

Cases cases_of(Attempt& attempt, const Model& model) {
  Cases cases = attempt.given | when(model.generation() == 0, kNoProgram);
  for (Watch& watch : attempt.watches) {
    if (watch.variable == kNothing) continue;
    const Thing* now = model.held_by(watch.variable);
    if (now != nullptr)
      watch.meet(now);
    else
      cases |= kEmpty;
    for (const Thing* thing : watch.met)
      if (thing != nullptr) cases |= of_thing(*thing, watch, model);
  }
  if (attempt.op == Op::set_nested)
    cases |= when(!child_fits(attempt.watches[0], attempt.watches[1]), kMisfit);
  return cases;
}

std::span<const Refusal> refusals() { return kRefusals; }

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
  const bool ends_program = (attempt.due() & kBegan) != 0 || (attempt.seen & kReset) != 0;
  if (world.injected_failures == 0 || ends_program) return false;
  const auto& events = world.history.events();
  return std::any_of(events.begin() + attempt.first_event, events.end(),
                     [&](const harness::Event& event) {
                       return event.activation == attempt.activation && failed(event, world) &&
                              is_injected(event.value);
                     });
}

}  // namespace scenarios::argpack
