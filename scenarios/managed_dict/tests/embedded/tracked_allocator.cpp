// SPDX-License-Identifier: Apache-2.0
// How it works. PyMem_SetAllocator lets a program intercept each allocator of the interpreter.
// Blocks are stored by address in a map of our own, which uses the C library's malloc and so does
// not change the order in which pymalloc reuses blocks.
#include "scenarios/managed_dict/tests/embedded/tracked_allocator.h"

#include <Python.h>

#include <map>

namespace scenarios::managed_dict::embedded {
namespace {

struct State {
  std::map<std::uintptr_t, TrackedBlock> blocks;
  std::uint64_t last_id = 0;
  OnFree on_free = nullptr;
};

State& state() {
  static State& the_state = *new State;  // Outlives the interpreter.
  return the_state;
}

std::uintptr_t to_address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

void* born(void* pointer, std::size_t bytes) {
  State& known = state();
  if (pointer != nullptr)
    known.blocks[to_address(pointer)] = {to_address(pointer), bytes, ++known.last_id};
  return pointer;
}

/// Returns the block that begins here, or within a word of it, in case of a wrong free().
std::map<std::uintptr_t, TrackedBlock>::iterator nearest(std::uintptr_t address) {
  constexpr std::uintptr_t kReach = sizeof(void*);
  auto& blocks = state().blocks;
  const auto exact = blocks.find(address);
  if (exact != blocks.end()) return exact;
  const auto near = blocks.lower_bound(address - kReach);
  return near != blocks.end() && near->first <= address + kReach ? near : blocks.end();
}

void died(void* pointer) {
  const auto block = nearest(to_address(pointer));
  if (pointer == nullptr || block == state().blocks.end()) return;
  const TrackedBlock gone = block->second;
  state().on_free(to_address(pointer), gone);
  state().blocks.erase(gone.address);
}

const PyMemAllocatorEx& allocator_in(void* context) {
  return *static_cast<const PyMemAllocatorEx*>(context);
}

void* tracked_malloc(void* context, std::size_t bytes) {
  const PyMemAllocatorEx& next = allocator_in(context);
  return born(next.malloc(next.ctx, bytes), bytes);
}

void* tracked_calloc(void* context, std::size_t count, std::size_t bytes) {
  const PyMemAllocatorEx& next = allocator_in(context);
  return born(next.calloc(next.ctx, count, bytes), count * bytes);
}

void* tracked_realloc(void* context, void* pointer, std::size_t bytes) {
  const PyMemAllocatorEx& next = allocator_in(context);
  void* moved = next.realloc(next.ctx, pointer, bytes);
  if (moved != nullptr) state().blocks.erase(to_address(pointer));
  return born(moved, bytes);
}

void tracked_free(void* context, void* pointer) {
  const PyMemAllocatorEx& next = allocator_in(context);
  died(pointer);
  next.free(next.ctx, pointer);
}

}  // namespace

void install_tracked_allocator(OnFree on_free) {
  static PyMemAllocatorEx originals[2];
  state().on_free = on_free;
  constexpr PyMemAllocatorDomain kDomains[] = {PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
  for (int i = 0; i < 2; ++i) {
    PyMem_GetAllocator(kDomains[i], &originals[i]);
    PyMemAllocatorEx tracked{&originals[i], tracked_malloc, tracked_calloc, tracked_realloc,
                             tracked_free};
    PyMem_SetAllocator(kDomains[i], &tracked);
  }
}

TrackedBlock block_at(std::uintptr_t address) {
  const auto& blocks = state().blocks;
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin()) return {};
  const TrackedBlock& block = std::prev(after)->second;
  return address - block.address < block.bytes ? block : TrackedBlock{};
}

}  // namespace scenarios::managed_dict::embedded
