// SPDX-License-Identifier: Apache-2.0
// Memory of cuMemAlloc and similar calls: copies, sets, queries, and frees.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

/// One more that all share.
static void allocate(Program& p) {
  if (p.memory.shared().size() < 6)
    p.memory.shared().push_back(p.memory.make(static_cast<Kind>(p.below(4)), p.any_home()));
}

static void free(Program& p) {
  if (p.memory.shared().size() < 3) return;
  const auto at =
      p.memory.shared().begin() + static_cast<std::ptrdiff_t>(p.below(p.memory.shared().size()));
  p.memory.free(*at);
  p.memory.shared().erase(at);
}

/// Two streams use the same memory, one after the other.
static void share(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  p.set(0, p.memory.use(0, memory));
  if (p.keep(Rule::streams_are_ordered)) p.memory.use(1, memory);
  p.set(1, memory.address);
  p.memory.leave(memory);
}

static void copy(Program& p) {
  const std::size_t home = p.any_home();
  const CUdeviceptr target = p.memory.use(home, p.memory.shared()[0]);
  const CUdeviceptr source = p.memory.use(home, p.memory.shared()[1]);
  if (p.coin())
    cuMemcpyDtoDAsync_v2(target, source, kBytes, p.handle(home));
  else
    cuMemcpyAsync(target, source, kBytes, p.handle(home));
  p.work(home);
}

/// A copy's source is written in another stream.
static void copy_what_another_stream_wrote(Program& p) {
  Memory source = p.memory.make(Kind::plain, 0);
  Memory target = p.memory.make(Kind::plain, 1);
  p.set(0, p.memory.use(0, source));
  if (p.keep(Rule::copies_come_after_the_writer)) p.memory.use(1, source);
  cuMemcpyDtoDAsync_v2(target.address, source.address, kBytes, p.handle(1));
  p.move(target.state, Via::used);
  p.work(1);
  p.memory.leave(source);
  p.memory.leave(target);
}

/// Two copies of one call, which are in no order.
static void copy_in_a_batch(Program& p) {
  const std::size_t home = p.below(kOwnStreams);  // The default stream takes none.
  Memory targets[] = {p.memory.make(Kind::plain, home), p.memory.make(Kind::plain, home)};
  const CUdeviceptr source = p.memory.use(home, p.memory.shared()[0]);
  CUdeviceptr to[] = {p.memory.use(home, targets[0]), p.memory.use(home, targets[1])};
  CUdeviceptr from[] = {source, source};
  std::size_t sizes[] = {kBytes, kBytes};
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = p.keep(Rule::batches_say_how_they_read)
                                  ? CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
                                  : CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
  std::size_t first = 0;
  cuMemcpyBatchAsync_v2(to, from, sizes, 2, &attributes, &first, 1, p.handle(home));
  p.work(home);
  for (Memory& target : targets) p.memory.leave(target);
}

static void set(Program& p) {
  const std::size_t home = p.any_home();
  const CUdeviceptr address = p.memory.use(home, p.memory.any());
  if (p.coin()) return p.set(home, address);
  const bool within = p.keep(Rule::within_the_allocation);
  cuMemsetD8Async(address, 1, within ? kBytes : kBytes + 4096, p.handle(home));
  p.work(home);
}

static void ask_about_pinned_memory(Program& p) {
  Memory memory = p.memory.make(Kind::pinned, 0);
  auto* host = reinterpret_cast<void*>(memory.address);
  CUdeviceptr address = 0;
  unsigned flags = 0;
  cuMemHostGetDevicePointer_v2(&address, host, 0);
  cuMemHostGetFlags(&flags, host);
  p.check(address == memory.address, "addresses are unified");
  p.memory.leave(memory);
}

/// Memory of the host's is the device's, too, for a while.
static void register_memory(Program& p) {
  const std::size_t home = p.any_home();
  Memory other = p.memory.make(Kind::plain, home);
  void* host = p.host_memory.data();
  const CUdeviceptr target = p.memory.use(home, other);
  CUdeviceptr address = 0;
  cuMemHostRegister_v2(host, kBytes, CU_MEMHOSTREGISTER_PORTABLE);
  p.move(p.host_memory_state, Via::registered);
  if (!p.keep(Rule::memory_is_registered_once)) cuMemHostRegister_v2(host, kBytes, 0);
  cuMemHostGetDevicePointer_v2(&address, host, 0);
  p.add_one(home, address);
  const bool whole = p.keep(Rule::registrations_are_copied_whole);
  cuMemcpyHtoDAsync_v2(target, whole ? host : &p.host_memory[8], kBytes, p.handle(home));
  p.move(p.host_memory_state, Via::used);
  p.work(home);
  p.wait(home);
  cuMemHostUnregister(host);
  p.move(p.host_memory_state, Via::unregistered);
  if (!p.keep(Rule::only_registered_memory_is_unregistered)) cuMemHostUnregister(host);
  if (!p.keep(Rule::kernels_use_registered_memory)) p.add_one(home, address);
  cuMemcpyDtoHAsync_v2(host, target, kBytes, p.handle(home));
  p.work(home);
  p.memory.leave(other);
}

static void set_aligned(Program& p) {
  const std::size_t home = p.any_home();
  const CUdeviceptr address = p.memory.use(home, p.memory.any());
  const bool aligned = p.keep(Rule::sets_are_aligned);
  if (p.coin())
    cuMemsetD32Async(address + (aligned ? 4 : 2), 1, 1, p.handle(home));
  else
    cuMemsetD16Async(address + (aligned ? 2 : 1), 1, 1, p.handle(home));
  p.work(home);
}

/// Two rows, of 8 bytes each.
static void set_rows(Program& p) {
  const std::size_t home = p.any_home();
  const CUdeviceptr address = p.memory.use(home, p.memory.any());
  const std::size_t pitch = p.keep(Rule::rows_fit_their_pitch) ? 32 : 4;
  switch (p.below(3)) {
    case 0:
      cuMemsetD2D8Async(address, pitch, 1, 8, 2, p.handle(home));
      break;
    case 1:
      cuMemsetD2D16Async(address, pitch, 1, 4, 2, p.handle(home));
      break;
    default:
      cuMemsetD2D32Async(address, pitch, 1, 2, 2, p.handle(home));
  }
  p.work(home);
}

static void allocate_rows(Program& p) {
  CUdeviceptr address = 0;
  std::size_t pitch = 0;
  cuMemAllocPitch_v2(&address, &pitch, 8, 2, 4);
  p.check(pitch >= 8, "the pitch of rows");
  cuMemFree_v2(address);
}

static void copy_to_the_host_and_back(Program& p) {
  std::array<int, 16> values{};
  const std::size_t home = p.any_home();
  const CUdeviceptr address = p.memory.use(home, p.memory.any());
  cuMemcpyDtoHAsync_v2(values.data(), address, kBytes, p.handle(home));
  cuMemcpyHtoDAsync_v2(address, values.data(), kBytes, p.handle(home));
  p.work(home);
}

/// By the functions that have no stream: they work in the default one, or in the thread's own.
static void without_a_stream(Program& p) {
  std::array<int, 16> values{};
  Memory& memory = p.memory.any();
  Memory other = p.memory.make(Kind::plain, kDefault);
  if (p.coin()) {
    const CUdeviceptr address = p.memory.use(kDefault, memory);
    cuMemsetD8_v2(address, 1, kBytes);
    cuMemsetD16_v2(address, 1, kBytes / 2);
    cuMemsetD32_v2(address, 1, kBytes / 4);
    cuMemcpyDtoD_v2(other.address, address, kBytes);
    cuMemcpyDtoH_v2(values.data(), other.address, kBytes);
    cuMemcpyHtoD_v2(address, values.data(), kBytes);
    cuMemsetD2D8_v2(address, 32, 1, 8, 2);
    cuMemsetD2D16_v2(address, 32, 1, 4, 2);
    cuMemsetD2D32_v2(address, 32, 1, 2, 2);
    cuMemcpy(other.address, address, kBytes);
    p.work(kDefault);
  } else {
    const CUdeviceptr address = p.memory.use(kPerThread, memory);
    cuMemsetD8_v2_ptds(address, 1, kBytes);
    cuMemsetD16_v2_ptds(address, 1, kBytes / 2);
    cuMemsetD32_v2_ptds(address, 1, kBytes / 4);
    cuMemcpyDtoD_v2_ptds(other.address, address, kBytes);
    cuMemcpyDtoH_v2_ptds(values.data(), other.address, kBytes);
    cuMemcpyHtoD_v2_ptds(address, values.data(), kBytes);
    cuMemsetD2D8_v2_ptds(address, 32, 1, 8, 2);
    cuMemsetD2D16_v2_ptds(address, 32, 1, 4, 2);
    cuMemsetD2D32_v2_ptds(address, 32, 1, 2, 2);
    cuMemcpy_ptds(other.address, address, kBytes);
    p.work(kPerThread);
  }
  p.memory.leave(other);
}

/// A blocking stream's work is in order with the default stream's; another stream's is not.
static void default_stream(Program& p) {
  const bool blocks = p.keep(Rule::default_stream_orders_blocking_streams);
  const std::size_t home = blocks ? kBlocking : 0;
  Memory memory = p.memory.make(Kind::plain, home);
  p.set(home, p.memory.use(home, memory));
  p.set(kDefault, memory.address);
  p.set(home, memory.address);
  p.memory.leave(memory);
}

static void ask(Program& p) {
  const CUdeviceptr address = p.memory.any().address;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cuMemGetInfo_v2(&free_bytes, &total_bytes);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  int mine = 0;
  const auto unknown = reinterpret_cast<CUdeviceptr>(&mine);
  cuMemGetAddressRange_v2(&base, &bytes,
                          p.keep(Rule::ranges_are_of_known_memory) ? address + 8 : unknown);
  p.check(base == address, "the start of an allocation");
  const bool known = p.keep(Rule::attributes_of_known_memory);
  unsigned type = 0;
  cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, known ? address : unknown);
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
  void* found[] = {&base};
  const unsigned count = p.keep(Rule::some_attribute_is_asked) ? 1 : 0;
  cuPointerGetAttributes(count, wanted, found, address);
}

static void attach(Program& p) {
  const std::size_t home = p.own_home();
  const bool managed = p.keep(Rule::managed_memory_is_attached);
  Memory memory = p.memory.make(managed ? Kind::managed : Kind::plain, home);
  const std::size_t bytes = p.keep(Rule::managed_memory_is_attached_whole) ? 0 : kBytes / 2;
  cuStreamAttachMemAsync(p.handle(home), p.memory.use(home, memory), bytes, CU_MEM_ATTACH_GLOBAL);
  p.work(home);
  p.memory.leave(memory);
}

static void move_managed_memory(Program& p) {
  constexpr CUmemLocation kDevice{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  const std::size_t home = p.any_home();
  const bool managed = p.keep(Rule::managed_memory_is_moved);
  Memory memory = p.memory.make(managed ? Kind::managed : Kind::plain, home);
  cuMemAdvise_v2(memory.address, kBytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, kDevice);
  cuMemPrefetchAsync_v2(p.memory.use(home, memory), kBytes, kDevice, 0, p.handle(home));
  p.work(home);
  p.memory.leave(memory);
}

// ---- lives ------------------------------------------------------------------------------------

static void use_while_alive(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  if (!p.keep(Rule::memory_is_alive)) cuMemFree_v2(memory.address);
  p.set(0, p.memory.use(0, memory));
  p.memory.leave(memory);
}

static void free_once(Program& p) {
  Memory memory = p.memory.make(p.coin() ? Kind::plain : Kind::managed, 0);
  p.memory.free(memory);
  if (!p.keep(Rule::memory_is_freed_once)) cuMemFree_v2(memory.address);
}

static void free_from_the_start(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  if (!p.keep(Rule::memory_is_freed_from_its_start)) cuMemFree_v2(memory.address + 4);
  p.memory.leave(memory);
}

/// Neither free is sure to wait for what is in flight. The end of a registration may wait, and may
/// not: once in this many does not.
static void unregister_what_is_in_flight(Program& p) {
  const bool kept = p.keep(Rule::registered_memory_is_waited_for);
  void* host = p.host_memory.data();
  for (int i = 0; i < (kept ? 1 : 256); ++i) {
    CUdeviceptr address = 0;
    cuMemHostRegister_v2(host, kBytes, 0);
    p.move(p.host_memory_state, Via::registered);
    cuMemHostGetDevicePointer_v2(&address, host, 0);
    p.add_one(0, address);
    p.move(p.host_memory_state, Via::used);
    if (kept) p.wait(0);
    cuMemHostUnregister(host);
    p.move(p.host_memory_state, Via::unregistered);
  }
}

static void free_what_is_in_flight(Program& p) {
  const bool kept = p.keep(Rule::memory_is_waited_for_before_its_free);
  for (int i = 0; i < (kept ? 1 : 64); ++i) {
    Memory memory = p.memory.make(p.coin() ? Kind::plain : Kind::pinned, 0);
    p.set(0, p.memory.use(0, memory));
    if (kept) p.wait(0);
    if (memory.kind == Kind::pinned)
      cuMemFreeHost(reinterpret_cast<void*>(memory.address));
    else
      cuMemFree_v2(memory.address);
    p.move(memory.state, Via::freed_by_the_host);
  }
}

static void free_by_its_function(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  if (!p.keep(Rule::memory_is_freed_by_its_function))
    cuMemFreeHost(reinterpret_cast<void*>(memory.address));
  p.memory.leave(memory);
}

static void allocate_some_bytes(Program& p) {
  CUdeviceptr address = 0;
  cuMemAlloc_v2(&address, p.keep(Rule::allocations_have_a_size) ? 1 : 0);
  cuMemFree_v2(address);
  cuMemAllocManaged(&address, 4, p.keep(Rule::managed_memory_has_flags) ? CU_MEM_ATTACH_HOST : 99);
  cuMemFree_v2(address);
}

Steps memory_steps() {
  static constexpr Program::Step kSteps[] = {
      ask_about_pinned_memory,
      register_memory,
      unregister_what_is_in_flight,
      allocate,
      free,
      share,
      copy,
      copy_what_another_stream_wrote,
      set,
      set_aligned,
      set_rows,
      allocate_rows,
      move_managed_memory,
      copy_to_the_host_and_back,
      without_a_stream,
      default_stream,
      ask,
      attach,
      use_while_alive,
      free_once,
      free_from_the_start,
      free_what_is_in_flight,
      free_by_its_function,
      allocate_some_bytes,
      copy_in_a_batch,
  };
  return kSteps;
}

}  // namespace harness::testing::sound
