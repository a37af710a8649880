// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/judges/code.h"

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/followed.h"

#include <fmt/format.h>

namespace scenarios::managed_dict {

using harness::BirthId;
using harness::FaultKind;
using targets::managed_dict::Block;
using targets::managed_dict::Probe;

// ---- attributes ---------------------------------------------------------------------------------

void CodeJudge::storing(Address object, bool compiled) {
  if (observer_ == nullptr) [[likely]]
    return;
  const targets::managed_dict::HeapView& heap = *context_.state.heap;
  constexpr std::int32_t kPlace = targets::managed_dict::kWordOffset;
  Probe probe{};
  probe.tick = context_.scene.world().scheduler.now();
  probe.compiled = compiled;
  probe.object = object;
  if (heap.covers(object + kPlace, targets::managed_dict::kWord))
    probe.word = heap.read<std::uint64_t>(object + kPlace);
  if (const Instance* instance = context_.state.instances.find(object)) {
    probe.instance = instance->id;
    probe.values = instance->values != 0 ? instance->values_id : BirthId::none;
  }
  observer_->probed(probe);
}

void CodeJudge::compiled_store() {
  context_.scene.exercised();
  context_.reached.reach(Window::word_read);
}

void CodeJudge::attribute_read(Address object, Attribute attribute, Address value) {
  const Instance* instance = context_.state.instances.find(object);
  if (instance == nullptr) return;
  const Address expected = expected_value(*instance, attribute);
  if (value == expected) return;
  harness::Fault fault = context_.fault_here(
      FaultKind::wrong_value, "attribute", fmt::format("{:#x} instead of {:#x}", value, expected));
  fault.object = context_.name_of(instance->id);
  context_.report(std::move(fault));
}

void CodeJudge::class_attribute_read(Class of, Address value) {
  const targets::managed_dict::HeapView& heap = *context_.state.heap;
  const auto expected = heap.read<std::uint64_t>(heap.class_attribute(of));
  if (value == expected) return;
  context_.report(context_.fault_here(FaultKind::wrong_value, "class attribute",
                                      fmt::format("{:#x} instead of {:#x}", value, expected)));
}

/// Returns whether it leads to values, alive or not. The low bit may also be set in a pointer that
/// was counted.
bool CodeJudge::leads_to_values(Address word) const {
  const Address values = targets::managed_dict::values_of(word);
  const Block* block = context_.state.heap->find(values);
  if (block == nullptr) block = context_.state.heap->find_dead(values);
  return block != nullptr && block->kind == targets::managed_dict::BlockKind::values;
}

void CodeJudge::odd_counted(Address word) {
  if (!leads_to_values(word)) return;
  context_.report(context_.fault_here(FaultKind::api_misuse, "tagged word",
                                      fmt::format("counted as an object: {:#x}", word)));
}

// In any correct store, the attribute has the new value, or none, before the old one is released.
void CodeJudge::read_under_release(Address found, Address dying) {
  context_.reached.reach(Window::value_released);
  if (found != dying) return;
  harness::Fault fault = context_.fault_here(FaultKind::use_after_free, "released value",
                                             "the attribute still holds what is given up");
  if (const Instance* instance = context_.state.instances.find(dying))
    fault.object = context_.name_of(instance->id);
  context_.report(std::move(fault));
}

void CodeJudge::type_modified() {
  if (harness::is_followed()) [[unlikely]]
    harness::follow_step(context_.scene.world(), harness::Trail::Kind::event, "type modified", {});
  context_.reached.reach(Window::type_modified);
}

// ---- launches -----------------------------------------------------------------------------------

std::optional<KernelArguments>& CodeJudge::arguments() {
  auto& launches = context_.state.launches;
  const std::size_t task = harness::raw(context_.scene.world().scheduler.current());
  if (task >= launches.size()) launches.resize(task + 1);
  return launches[task];
}

// Reads the arguments early: while the kernel runs, another task may store other
// values.
void CodeJudge::launching(Address object, Class of) {
  arguments() = expected_arguments(context_.state, object, of);
}

// Compares up to the first wrong value.
void CodeJudge::launched(std::span<const std::int32_t> out) {
  constexpr harness::Label kWhat = "autocast_step";
  const std::optional<KernelArguments> known = arguments();
  std::uint32_t thread = 0;
  while (known && thread + 1 < out.size() && out[thread] == kernel_result(*known, thread)) ++thread;
  const auto observed = static_cast<std::uint64_t>(std::int64_t{out[thread]});
  context_.scene.world().scheduler.note(harness::EventKind::observe, kWhat, 0, observed);
  if (known)
    context_.scene.expect(kWhat, observed,
                          static_cast<std::uint64_t>(std::int64_t{kernel_result(*known, thread)}));
}

}  // namespace scenarios::managed_dict
