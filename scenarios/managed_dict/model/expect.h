// SPDX-License-Identifier: Apache-2.0
// Expect: the values that the interpreter's bytes, a script and a kernel must have by the state of
// a run.
#pragma once

#include "scenarios/managed_dict/model/state.h"

namespace scenarios::managed_dict {

// ---- bytes --------------------------------------------------------------------------------------

/// Returns the word of an instance.
std::uint64_t expected_word(const State& state, const Instance& instance);
/// Returns the value of an attribute of an instance; 0 if it has none.
Address expected_value(const Instance& instance, Attribute attribute);
/// Returns the reference count of the object in a block.
std::int64_t expected_count(State& state, const targets::managed_dict::Block& block);
/// Returns the reference count of None, False or True.
std::uint64_t expected_immortal_count(State& state, Address object);
/// Returns the distance from the start of the block to be freed to the values in it; 0 if it has
/// none.
std::uint8_t expected_prefix(const State& state, const targets::managed_dict::Release& release);

// ---- kernels ------------------------------------------------------------------------------------

/// Returns the arguments of a kernel that is launched now with the object; nothing if the object
/// lacks one.
std::optional<KernelArguments> expected_arguments(State& state, Address object, Class of);
/// Returns the result of a thread of the kernel.
std::int32_t kernel_result(const KernelArguments& arguments, std::uint32_t thread);

// ---- a script -----------------------------------------------------------------------------------

/// Returns whether `items` are these contents. A number that is read for the first time must be
/// newer than `newest`, which is set to it.
bool explains(Contents<Promised>& contents, std::span<const targets::managed_dict::Item> items,
              std::int64_t& newest);

/// Returns whether a class may run out of room: it has less than the number of names in use.
bool has_little_room(const State& state);

/// Maximum number of live blocks of a kind while no statement runs, except for with blocks.
struct Bound {
  targets::managed_dict::BlockKind kind;
  std::uint32_t most;
};
std::array<Bound, 6> bounds(const State& state);

}  // namespace scenarios::managed_dict
