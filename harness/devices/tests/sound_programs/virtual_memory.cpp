// SPDX-License-Identifier: Apache-2.0
// Virtual memory: addresses, memory, and mappings.
#include <unistd.h>

#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

namespace {

constexpr std::size_t kUnit = std::size_t{2} << 20;

/// A reservation of two units, and a handle of one.
struct Virtual {
  CUdeviceptr address = 0;
  CUmemGenericAllocationHandle handle = 0;
  State addresses = State::addresses_none;
  State memory = State::memory_handle_none;
};

CUmemAllocationProp on_device() {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  return wanted;
}

void create(Program& p, Virtual& made) {
  const CUmemAllocationProp wanted = on_device();
  std::size_t unit = 0;
  cuMemGetAllocationGranularity(&unit, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  cuMemCreate(&made.handle, p.keep(Rule::memory_is_created_in_units) ? unit : unit + 1, &wanted, 0);
  p.move(made.memory, Via::created);
}

Virtual make(Program& p) {
  Virtual made;
  const std::size_t bytes = p.keep(Rule::addresses_are_reserved_in_pages) ? 2 * kUnit : 100;
  cuMemAddressReserve(&made.address, bytes, 0, 0, 0);
  p.move(made.addresses, Via::reserved);
  create(p, made);
  return made;
}

void release(Program& p, Virtual& made) {
  cuMemRelease(made.handle);
  p.move(made.memory, Via::released);
}

CUresult set_access(CUdeviceptr address, CUmemAccess_flags flags) {
  const CUmemAccessDesc wish{.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                             .flags = flags};
  return cuMemSetAccess(address, kUnit, &wish, 1);
}

void map(Program& p, Virtual& made, bool with_access = true) {
  cuMemMap(made.address, kUnit, 0, made.handle, 0);
  p.move(made.addresses, Via::mapped);
  if (!p.keep(Rule::addresses_are_mapped_once)) cuMemMap(made.address, kUnit, 0, made.handle, 0);
  if (!with_access) return;
  set_access(made.address, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  p.move(made.addresses, Via::given_access);
}

void unmap(Program& p, Virtual& made) {
  const bool whole = p.keep(Rule::mappings_end_whole);
  cuMemUnmap(made.address, whole ? kUnit : kUnit / 2);
  p.move(made.addresses, Via::unmapped);
}

void free_addresses(Program& p, Virtual& made) {
  cuMemAddressFree(made.address, 2 * kUnit);
  p.move(made.addresses, Via::released);
}

}  // namespace

/// By a stream that the host waits for before the mapping ends.
static void use(Program& p) {
  Virtual made = make(p);
  const std::size_t home = p.any_home();
  map(p, made, p.keep(Rule::mapped_memory_is_used_with_access));
  p.set(home, made.address);
  p.add_one(home, made.address);
  p.move(made.addresses, Via::used);
  if (p.coin()) release(p, made);  // The mapping keeps the memory.
  if (p.keep(Rule::mappings_outlive_their_use)) p.wait(home);
  unmap(p, made);
  if (!p.keep(Rule::mapped_memory_is_used_while_mapped)) p.set(home, made.address);
  if (made.memory == State::memory_handle_alive) release(p, made);
  free_addresses(p, made);
}

/// Memory is in two places, which are one for the order of uses.
static void map_twice(Program& p) {
  Virtual made = make(p);
  const CUdeviceptr second = made.address + kUnit;
  map(p, made);
  cuMemMap(second, kUnit, 0, made.handle, 0);
  set_access(second, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  p.set(0, made.address);
  if (p.keep(Rule::mappings_of_one_memory_are_ordered)) p.hand_over(0, 1);
  p.set(1, second);
  p.wait(1);
  p.wait(0);
  cuMemUnmap(second, kUnit);
  unmap(p, made);
  release(p, made);
  free_addresses(p, made);
}

static void ask(Program& p) {
  Virtual made = make(p);
  CUmemAllocationProp found{};
  cuMemGetAllocationPropertiesFromHandle(&found, made.handle);
  p.check(found.type == CU_MEM_ALLOCATION_TYPE_PINNED, "memory has the properties that were asked");
  map(p, made);
  const CUmemLocation here{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  unsigned long long flags = 0;
  cuMemGetAccess(&flags, &here, made.address);
  p.check(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE, "access is what was given");
  set_access(made.address, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  p.move(made.addresses, Via::lost_access);
  CUmemGenericAllocationHandle again = 0;
  cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(made.address + 64));
  p.check(again == made.handle, "an address leads to the handle");
  cuMemRelease(again);
  unmap(p, made);
  release(p, made);
  free_addresses(p, made);
}

static void end(Program& p) {
  Virtual made = make(p);
  map(p, made);
  if (!p.keep(Rule::addresses_are_freed_unmapped)) cuMemAddressFree(made.address, 2 * kUnit);
  unmap(p, made);
  release(p, made);
  if (!p.keep(Rule::memory_is_released_once)) cuMemRelease(made.handle);
  if (!p.keep(Rule::memory_is_mapped_before_its_release))
    cuMemMap(made.address, kUnit, 0, made.handle, 0);
  free_addresses(p, made);
}

/// Memory that is exported and imported by one process has two references.
static void share(Program& p) {
  CUmemAllocationProp wanted = on_device();
  wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle first = 0;
  CUmemGenericAllocationHandle second = 0;
  cuMemCreate(&first, kUnit, &wanted, 0);
  int file = -1;
  cuMemExportToShareableHandle(&file, first, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  cuMemImportFromShareableHandle(&second, reinterpret_cast<void*>(static_cast<std::intptr_t>(file)),
                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  p.check(second != 0, "a file leads to the memory");
  ::close(file);
  cuMemRelease(second);
  cuMemRelease(first);
}

Steps virtual_memory_steps() {
  static constexpr Program::Step kSteps[] = {use, map_twice, ask, share, end};
  return kSteps;
}

}  // namespace harness::testing::sound
