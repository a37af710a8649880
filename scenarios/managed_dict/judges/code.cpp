// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/judges/code.h"

#include "harness/run/scenario/followed.h"

#include "harness/core/fault/kinds.h"
#include "scenarios/managed_dict/windows.h"

namespace scenarios::managed_dict {

using harness::BirthId;
using targets::managed_dict::Probe;

namespace {

// Attributes that become kernel arguments: the first of each class, and the next two of _Autocast.
constexpr targets::managed_dict::Attribute kEnabled = 0;
constexpr targets::managed_dict::Attribute kDtype = 1;
constexpr targets::managed_dict::Attribute kScale = 2;

bool take(const ShadowInstance& instance, targets::managed_dict::Attribute attribute,
          std::int32_t& argument) {
  const Stored* stored = instance.find(attribute);
  if (stored != nullptr) argument = static_cast<std::int32_t>(stored->number);
  return stored != nullptr;
}

}  // namespace

// ---- attributes ---------------------------------------------------------------------------------

void CodeJudge::storing(Address object, bool compiled) {
  if (observer_ == nullptr) [[likely]]
    return;
  constexpr std::int32_t kPlace = targets::managed_dict::kWordOffset;
  Probe probe{};
  probe.tick = context_.scene.world().scheduler.now();
  probe.compiled = compiled;
  probe.object = object;
  if (context_.heap->covers(object + kPlace, targets::managed_dict::kWord))
    probe.word = context_.heap->read<std::uint64_t>(object + kPlace);
  if (const ShadowInstance* instance = shadow_.find(object)) {
    probe.instance = instance->id;
    probe.values = instance->values != 0 ? instance->values_id : BirthId::none;
  }
  observer_->probed(probe);
}

void CodeJudge::compiled_store() {
  context_.scene.exercised();
  context_.reach(Window::word_read);
}
void CodeJudge::compiled_load() { context_.reach(Window::word_counted); }
void CodeJudge::values_decoded() { context_.reach(Window::value_counted); }
void CodeJudge::order_appended() { context_.reach(Window::order_appended); }
// In any correct store, the attribute has the new value, or none, before the old one is released.
void CodeJudge::read_under_release(Address found, Address dying) {
  context_.reach(Window::value_released);
  if (found != dying) return;
  harness::Fault fault = context_.fault_here(harness::FaultKind::use_after_free, "released value",
                                             "the attribute still holds what is given up");
  if (const ShadowInstance* instance = shadow_.find(dying))
    fault.object = context_.name_of(instance->id);
  context_.report(std::move(fault));
}
void CodeJudge::type_modified() {
  if (harness::is_followed()) [[unlikely]]
    harness::follow_step(context_.scene.world(), harness::Trail::Kind::event, "type modified", {});
  context_.reach(Window::type_modified);
}
void CodeJudge::instance_made(std::uint32_t recycled) {
  if (recycled != 0) context_.reach(Window::instance_recycled);
}

// ---- launches -----------------------------------------------------------------------------------

CodeJudge::Expected& CodeJudge::expected() {
  const std::size_t task = harness::raw(context_.scene.world().scheduler.current());
  if (task >= launches_.size()) launches_.resize(task + 1);
  return launches_[task];
}

// Reads the arguments early: while the kernel runs, another task may store other
// values.
CodeJudge::Expected CodeJudge::stored_arguments(Address object, Class of) const {
  const ShadowInstance* instance = shadow_.find(object);
  KernelArguments arguments;
  if (instance == nullptr || !take(*instance, kEnabled, arguments.enabled)) return std::nullopt;
  if (of != Class::autocast) return arguments;
  const bool complete =
      take(*instance, kDtype, arguments.dtype) && take(*instance, kScale, arguments.scale);
  return complete ? Expected(arguments) : std::nullopt;
}

void CodeJudge::launching(Address object, Class of) { expected() = stored_arguments(object, of); }

// Compares up to the first wrong value.
void CodeJudge::launched(std::span<const std::int32_t> out) {
  constexpr harness::Label kWhat = "autocast_step";
  const Expected arguments = expected();
  std::uint32_t thread = 0;
  while (arguments && thread + 1 < out.size() && out[thread] == kernel_result(*arguments, thread))
    ++thread;
  const auto observed = static_cast<std::uint64_t>(std::int64_t{out[thread]});
  context_.scene.world().scheduler.note(harness::EventKind::observe, kWhat, 0, observed);
  if (arguments)
    context_.scene.expect(
        kWhat, observed,
        static_cast<std::uint64_t>(std::int64_t{kernel_result(*arguments, thread)}));
}

}  // namespace scenarios::managed_dict
