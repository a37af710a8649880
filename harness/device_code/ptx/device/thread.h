// SPDX-License-Identifier: Apache-2.0
// Thread: services of the driver for a kernel's thread: its indices, memory of each space, atomics,
// other threads, and the end of the kernel.
#pragma once

#include "harness/device_code/ptx/device/convert.h"
#include "harness/device_code/ptx/device/driver.h"

namespace ptx {

/// Ends the kernel at an instruction that is not translated.
[[noreturn]] PTX_OP void stop(const char* words) {
  driver.stop(static_cast<u32>(Stop::unknown_instruction), words);
  __builtin_unreachable();
}
[[noreturn]] PTX_OP void trap() {
  driver.stop(static_cast<u32>(Stop::trap), "");
  __builtin_unreachable();
}
/// Ends the thread inside a function.
[[noreturn]] PTX_OP void exit() {
  driver.exit();
  __builtin_unreachable();
}

// ---- special registers --------------------------------------------------------------------------

PTX_OP u32 thread_in_block(const Thread& t) {
  return t.registers[0] + t.registers[6] * (t.registers[1] + t.registers[7] * t.registers[2]);
}
PTX_OP u32 lane(const Thread& t) { return thread_in_block(t) % 32; }
PTX_OP u32 threads_in_block(const Thread& t) {
  return t.registers[6] * t.registers[7] * t.registers[8];
}
/// Returns the lanes of the warp for which the block has threads.
PTX_OP u32 lanes_there(const Thread& t) {
  const u32 rest = threads_in_block(t) - thread_in_block(t) / 32 * 32;
  return rest >= 32 ? ~u32{0} : (u32{1} << rest) - 1;
}
inline u64 clock_reads;
/// Returns nanoseconds. Each call advances the clock by a microsecond, so that code that waits for
/// it ends.
PTX_OP u64 clock() { return 1000 * ++clock_reads; }
/// Returns cycles of the same clock, at the 1.41 GHz of the device's attributes.
PTX_OP u64 cycles() { return clock() / 100 * 141; }
/// Advances the device's clock without taking time.
PTX_OP void sleep(u32 nanoseconds) {
  clock_reads += nanoseconds / 1000;
  driver.sleep(nanoseconds);
}

// ---- memory -------------------------------------------------------------------------------------

template <u32 bytes>
PTX_OP void aligned(u64 address) {
  if ((address & (bytes - 1)) != 0) [[unlikely]]
    driver.stop(static_cast<u32>(Stop::misaligned), "");
}

/// Returns whether the access is known to be allowed, and records it. Usually the first thread of a
/// block has already called the driver for it.
template <u32 bytes>
PTX_OP bool is_known(const Site& site, u64 address) {
  if (address - site.low >= site.count) [[unlikely]]
    return false;
  Range& used = *site.used;
  if (address == used.high) {
    used.high = address + bytes;
    return true;
  }
  return address >= used.low && address + bytes <= used.high;
}

/// Returns whether a word that a load reads, at least in part, may be a pointer.
template <u32 bytes>
PTX_OP bool may_lead_on(const Thread& t, u64 address) {
  u64 value;
  for (u64 word = address & ~u64{7}; word < address + bytes; word += 8) {
    __builtin_memcpy(&value, reinterpret_cast<const void*>(word), sizeof value);
    if (value - t.words->pointers_low < t.words->pointers_bytes) return true;
  }
  return false;
}

/// Marks the words that a store changes. For a word that is stored in parts, the last byte or half
/// counts, as in the driver.
template <u32 bytes>
PTX_OP void mark_stored(const Thread& t, u64 address) {
  if constexpr (bytes == 4) return;
  if (bytes < 4 && (address + bytes) % 8 != 0) return;
  for (u64 word = address & ~u64{7}; word < address + bytes; word += 8)
    __builtin_memcpy(reinterpret_cast<void*>(word + t.words->shadow), &t.words->stored,
                     sizeof(u64));
}

/// Calls the driver to check an access to device memory, at an address of any space, unless the
/// access is known to be allowed at this place of the text.
template <u32 bytes>
PTX_OP void may_load(const Thread& t, u64 address, Site& site) {
  aligned<bytes>(address);
  if constexpr (bytes > 16)
    driver.load(address, bytes);
  else if (!is_known<bytes>(site, address) || may_lead_on<bytes>(t, address)) [[unlikely]]
    driver.load_at(address, bytes, &site);
}
template <u32 bytes>
PTX_OP void may_store(const Thread& t, u64 address, Site& site) {
  aligned<bytes>(address);
  if constexpr (bytes > 16)
    driver.store(address, bytes);
  else if (is_known<bytes>(site, address)) [[likely]]
    mark_stored<bytes>(t, address);
  else
    driver.store_at(address, bytes, &site);
}

/// Lets other blocks of the grid run before this one reads the memory of their barriers, which a
/// loop repeats until they have arrived.
PTX_OP void look(const Thread& t, u64 address) {
  if (address - t.grid < 8) [[unlikely]]
    driver.wait_for_grid();
}

/// Returns the host address of an address in shared memory. Beyond the block's memory, the driver
/// reports an invalid access.
template <u32 bytes>
PTX_OP u64 in_shared(const Thread& t, u64 offset) {
  aligned<bytes>(offset);
  offset = static_cast<u32>(offset);
  if (offset + bytes > t.shared_bytes) [[unlikely]]
    driver.load(offset, bytes);
  return reinterpret_cast<u64>(t.shared) + offset;
}
PTX_OP u64 shared_to_generic(const Thread& t, u64 offset) {
  return reinterpret_cast<u64>(t.shared) + static_cast<u32>(offset);
}
PTX_OP u64 generic_to_shared(const Thread& t, u64 address) {
  return address - reinterpret_cast<u64>(t.shared);
}
PTX_OP bool is_shared(const Thread& t, u64 address) {
  return address - reinterpret_cast<u64>(t.shared) < t.shared_bytes;
}
/// Local memory is on the stack of the thread.
PTX_OP bool is_local(u64 address) {
  return address - reinterpret_cast<u64>(__builtin_frame_address(0)) + 0x10000 < 0x20000;
}

template <class T>
PTX_OP T read(u64 address) {
  T value;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
  return value;
}
template <class T, class Register>
PTX_OP void write(u64 address, Register raw) {
  const Unsigned<T> value = bits(get<T>(raw));
  __builtin_memcpy(reinterpret_cast<void*>(address), &value, sizeof(T));
}

// ---- atomics ------------------------------------------------------------------------------------

/// The driver's names of atomic operations, in the order of harness/device_code/kernel_image.h.
enum Atomic : u8 {
  atomic_add,
  atomic_add_float,
  atomic_exchange,
  atomic_cas,
  atomic_min_signed,
  atomic_min_unsigned,
  atomic_max_signed,
  atomic_max_unsigned,
  atomic_and,
  atomic_or,
  atomic_xor,
};

template <class T>
PTX_OP Unsigned<T> atomic_raw(Atomic operation, u64 address, Unsigned<T> value,
                              Unsigned<T> expected = 0) {
  aligned<sizeof(T)>(address);
  if constexpr (sizeof(T) == 2)
    return driver.atomic16(operation, address, value, expected);
  else if constexpr (sizeof(T) == 4)
    return driver.atomic32(operation, address, value, expected);
  else
    return driver.atomic64(operation, address, value, expected);
}

template <Atomic operation, class T, class A>
PTX_OP T atomic(u64 address, A raw) {
  return get<T>(atomic_raw<T>(operation, address, bits(get<T>(raw))));
}
template <class T, class A, class B>
PTX_OP T atomic_compare(u64 address, A expected, B value) {
  return get<T>(
      atomic_raw<T>(atomic_cas, address, get<Unsigned<T>>(value), get<Unsigned<T>>(expected)));
}
/// Executes an operation that the driver lacks, by compare and swap.
template <class T, class Act>
PTX_OP T atomic_by(u64 address, Act act) {
  Unsigned<T> old = atomic_raw<T>(atomic_or, address, 0);
  for (;;) {
    const Unsigned<T> next = bits(act(get<T>(old)));
    const Unsigned<T> there = atomic_raw<T>(atomic_cas, address, next, old);
    if (there == old) return get<T>(old);
    old = there;
  }
}
template <class T, class A>
PTX_OP T atomic_inc(u64 address, A limit) {
  return atomic_by<T>(address, [&](T old) { return old >= get<T>(limit) ? T{0} : old + 1; });
}
template <class T, class A>
PTX_OP T atomic_dec(u64 address, A limit) {
  return atomic_by<T>(
      address, [&](T old) { return old == 0 || old > get<T>(limit) ? get<T>(limit) : old - 1; });
}
template <class T, class A>
PTX_OP T atomic_add_half(u64 address, A raw) {
  return atomic_by<T>(address, [&](T old) { return add<T, rn>(old.raw, raw); });
}

// ---- other threads ------------------------------------------------------------------------------

enum class Shuffle : u8 { up, down, bfly, idx };

/// Returns the value of another lane, and whether that lane was within the segment.
template <Shuffle how, class A, class B, class C, class D>
PTX_OP u32 shfl(const Thread& t, A raw, B by, C limits, D mask, bool& inside) {
  const u32 self = lane(t);
  const u32 b = get<u32>(by) & 31;
  const u32 segment = get<u32>(limits) >> 8 & 31;
  const u32 most = get<u32>(limits) & 31;
  const u32 last = (self & segment) | (most & ~segment);
  const u32 first = self & segment;
  s32 from = 0;
  if (how == Shuffle::up) from = static_cast<s32>(self) - static_cast<s32>(b);
  if (how == Shuffle::down) from = static_cast<s32>(self + b);
  if (how == Shuffle::bfly) from = static_cast<s32>(self ^ b);
  if (how == Shuffle::idx) from = static_cast<s32>(first | (b & ~segment));
  inside = how == Shuffle::up ? from >= static_cast<s32>(last) : from <= static_cast<s32>(last);
  const u32 source = inside ? static_cast<u32>(from) : self;
  return static_cast<u32>(driver.shuffle(get<u32>(mask), get<u32>(raw), source));
}

template <class A>
PTX_OP bool vote_any(A mask, bool value) {
  return driver.ballot(get<u32>(mask), value) != 0;
}
template <class A>
PTX_OP bool vote_all(A mask, bool value) {
  return driver.ballot(get<u32>(mask), !value) == 0;
}
template <class A>
PTX_OP bool vote_uni(A mask, bool value) {
  const u32 set = driver.ballot(get<u32>(mask), value);
  return driver.ballot(get<u32>(mask), !value) == 0 || set == 0;
}

/// Combines the values of the lanes of `mask`.
template <class T, class A, class D, class Act>
PTX_OP T redux(A raw, D mask, Act act) {
  const u32 lanes = get<u32>(mask);
  T result{};
  bool first = true;
  for (u32 rest = lanes; rest != 0; rest &= rest - 1) {
    const u32 from = static_cast<u32>(__builtin_ctz(rest));
    const T value = static_cast<T>(driver.shuffle(lanes, get<u32>(raw), from));
    result = first ? value : static_cast<T>(act(result, value));
    first = false;
  }
  return result;
}

/// Returns the lanes of `mask` with the same value as this one. With `all`: the mask if all have
/// it, else 0.
template <class T, class A, class D>
PTX_OP u32 match(A raw, D mask, bool all) {
  const u32 lanes = get<u32>(mask);
  u32 equal = 0;
  for (u32 rest = lanes; rest != 0; rest &= rest - 1) {
    const u32 from = static_cast<u32>(__builtin_ctz(rest));
    if (static_cast<T>(driver.shuffle(lanes, get<T>(raw), from)) == get<T>(raw))
      equal |= u32{1} << from;
  }
  return all && equal != lanes ? 0 : equal;
}

/// Ends the kernel if there is no such barrier, or if the count is not in whole warps.
PTX_OP void check_barrier(u32 barrier, u32 threads) {
  if (barrier < 16 && threads % 32 == 0) return;
  driver.stop(static_cast<u32>(Stop::trap), barrier < 16
                                                ? "a barrier for a part of a warp"
                                                : "a barrier beyond the last, which is 15");
}
/// Waits until this many threads of the block have reached its barrier; 0: all. Returns the number
/// of true predicates.
PTX_OP u32 wait_at(u32 barrier, u32 threads, bool value) {
  check_barrier(barrier, threads);
  return static_cast<u32>(driver.wait_at(barrier, threads, value));
}
PTX_OP void arrive_at(u32 barrier, u32 threads) {
  check_barrier(barrier, threads);
  driver.arrive_at(barrier, threads);
}

}  // namespace ptx
