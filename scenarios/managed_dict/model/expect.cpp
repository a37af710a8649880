// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/model/expect.h"

namespace scenarios::managed_dict {

using targets::managed_dict::Block;
using targets::managed_dict::BlockKind;
using targets::managed_dict::Item;

// ---- bytes --------------------------------------------------------------------------------------

std::uint64_t expected_word(const State& state, const Instance& instance) {
  return state.version == Version::cpython312 && instance.values != 0
             ? targets::managed_dict::tagged(instance.values)
             : instance.dict;
}

Address expected_value(const Instance& instance, Attribute attribute) {
  const Stored* stored = instance.attributes.find(attribute);
  return stored != nullptr ? stored->address : 0;
}

// The interpreter itself holds references to classes.
std::int64_t expected_count(State& state, const Block& block) {
  const auto own = static_cast<std::int64_t>(
      block.kind == BlockKind::type ? targets::managed_dict::kTypeReferences : 0);
  return own + state.references.in(*state.heap, block).taken;
}

// They are counted before 3.12, but not since.
std::uint64_t expected_immortal_count(State& state, Address object) {
  if (state.version != Version::cpython311) return targets::managed_dict::kImmortal;
  const std::int32_t taken = state.references.in(*state.heap, *state.heap->find(object)).taken;
  return targets::managed_dict::kEarlyReferences + static_cast<std::uint64_t>(taken);
}

std::uint8_t expected_prefix(const State& state, const targets::managed_dict::Release& release) {
  if (!release.is_values) return 0;
  const Address values = release.address + release.prefix;
  const Block* chunk = state.heap->find(values);
  return chunk != nullptr ? static_cast<std::uint8_t>(values - chunk->begin) : 0;
}

// ---- kernels ------------------------------------------------------------------------------------

namespace {

bool take(const Instance& instance, Attribute attribute, std::int32_t& argument) {
  const Stored* stored = instance.attributes.find(attribute);
  if (stored != nullptr) argument = static_cast<std::int32_t>(stored->number);
  return stored != nullptr;
}

/// Returns a thread's input.
std::int32_t kernel_input(std::uint32_t thread) { return static_cast<std::int32_t>(100 + thread); }

}  // namespace

// The first attribute of each class becomes an argument, and the next two of an _Autocast.
std::optional<KernelArguments> expected_arguments(State& state, Address object, Class of) {
  constexpr Attribute kEnabled = 0, kDtype = 1, kScale = 2;
  const Instance* instance = state.instances.find(object);
  KernelArguments arguments;
  if (instance == nullptr || !take(*instance, kEnabled, arguments.enabled)) return std::nullopt;
  if (of != Class::autocast) return arguments;
  const bool complete =
      take(*instance, kDtype, arguments.dtype) && take(*instance, kScale, arguments.scale);
  return complete ? std::optional(arguments) : std::nullopt;
}

std::int32_t kernel_result(const KernelArguments& arguments, std::uint32_t thread) {
  if (arguments.enabled == 0) return kernel_input(thread);
  const std::uint32_t product = static_cast<std::uint32_t>(kernel_input(thread)) *
                                static_cast<std::uint32_t>(arguments.scale);
  return static_cast<std::int32_t>(product) >> (arguments.dtype & 31);
}

// ---- a script -----------------------------------------------------------------------------------

namespace {

std::int64_t value_of(const Promised& promised) {
  constexpr std::int64_t kTrue = 1, kDtype = 3;
  switch (promised.kept) {
    case Kept::number:
      return promised.number;
    case Kept::boolean:
      return kTrue;
    case Kept::shared:
      return kDtype;
    case Kept::itself:
    case Kept::guard:
      break;
  }
  return targets::managed_dict::kAnInstance;
}

}  // namespace

bool explains(Contents<Promised>& contents, std::span<const Item> items, std::int64_t& newest) {
  if (items.size() != contents.count()) return false;
  auto item = items.begin();
  for (auto& [attribute, promised] : contents.entries()) {
    if (promised.kept == Kept::number && promised.number == 0) {
      if (item->value <= newest) return false;
      promised.number = newest = item->value;
    }
    if (*item++ != Item{attribute, value_of(promised)}) return false;
  }
  return true;
}

bool has_little_room(const State& state) {
  return std::ranges::any_of(
      state.room, [](std::uint32_t room) { return room != 0 && room < kAttributesDrawn; });
}

// vars() keeps one dict, which may keep its instance, even if that has another dict by now.
std::array<Bound, 6> bounds(const State& state) {
  constexpr std::uint32_t kHeldNumbers = 12;
  constexpr std::uint32_t kTypes = 2 * targets::managed_dict::kClassCountOfPath;
  constexpr std::uint32_t kPerBlock = 3;
  const std::uint32_t blocks = state.running_blocks;
  std::uint32_t objects = state.garbage.objects + 1 + kPerBlock * blocks;
  std::uint32_t numbers = state.garbage.numbers + kHeldNumbers + 1 + 2 * kPerBlock * blocks;
  std::uint32_t dicts = state.garbage.dicts + 2;
  for (const Object& object : state.variables) {
    objects += object.form.defined + object.count(Kept::guard);
    dicts += object.form.defined && (object.form.has_dict || !object.form.known);
    numbers += object.count(Kept::number);
  }
  const Held& held = state.held;
  if (held.exists && held.of == Held::kNobody)
    objects += held.parted.count(Kept::guard) + held.guards;
  if (state.others_asked_for_dicts) dicts = objects + 1;
  if (state.types_have_numbers) numbers += kTypes;
  return {{{BlockKind::instance, objects},
           {BlockKind::values, objects + 1},
           {BlockKind::dict, dicts},
           {BlockKind::table, dicts},
           {BlockKind::number, numbers},
           {BlockKind::noise, state.noise_count + 2 * blocks}}};
}

}  // namespace scenarios::managed_dict
