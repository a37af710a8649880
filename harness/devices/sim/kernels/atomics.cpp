// SPDX-License-Identifier: Apache-2.0
// The atomics of a kernel. They are functions, because a compiler would emit __prov_store for its
// own atomics as for any store, and TSan would report a race between two of them.
#include <bit>
#include <type_traits>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/device_code/kernel_image.h"
#include "harness/devices/sim/kernels/access.h"

extern "C" {
#if HARNESS_TSAN
void __tsan_func_entry(void* code);
void __tsan_func_exit();
bool __tsan_atomic16_compare_exchange_strong(volatile void* address, void* expected, short value,
                                             int order, int fail_order);
bool __tsan_atomic32_compare_exchange_strong(volatile void* address, void* expected, int value,
                                             int order, int fail_order);
bool __tsan_atomic64_compare_exchange_strong(volatile void* address, void* expected, long value,
                                             int order, int fail_order);
#endif
}

namespace harness::devices {

/// The atomics of CUDA are relaxed. A kernel that hands over data adds __threadfence(), which TSan
/// does not know. Ours are therefore acquire and release: TSan misses a forgotten fence, but does
/// not report false races.
template <class Bits>
static bool replace(Bits* address, Bits& expected, Bits value) {
#if HARNESS_TSAN
  constexpr int kOrder = __ATOMIC_ACQ_REL;
  constexpr int kFailOrder = __ATOMIC_ACQUIRE;
  if constexpr (sizeof(Bits) == 2)
    return __tsan_atomic16_compare_exchange_strong(address, &expected, static_cast<short>(value),
                                                   kOrder, kFailOrder);
  else if constexpr (sizeof(Bits) == 4)
    return __tsan_atomic32_compare_exchange_strong(address, &expected, static_cast<int>(value),
                                                   kOrder, kFailOrder);
  else
    return __tsan_atomic64_compare_exchange_strong(address, &expected, static_cast<long>(value),
                                                   kOrder, kFailOrder);
#else
  return __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
#endif
}

template <class Bits>
static Bits combine(AtomicOp op, Bits old, Bits value) {
  using Signed = std::make_signed_t<Bits>;
  using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
  const auto as_signed = [](Bits bits) { return static_cast<Signed>(bits); };
  switch (op) {
    case AtomicOp::add:
      return static_cast<Bits>(old + value);
    case AtomicOp::add_float:  // Half precision is added by a loop with compare and swap.
      if constexpr (sizeof(Bits) > 2)
        return std::bit_cast<Bits>(std::bit_cast<Float>(old) + std::bit_cast<Float>(value));
      break;
    case AtomicOp::exchange:
    case AtomicOp::compare_exchange:
      return value;
    case AtomicOp::min_signed:
      return as_signed(value) < as_signed(old) ? value : old;
    case AtomicOp::min_unsigned:
      return value < old ? value : old;
    case AtomicOp::max_signed:
      return as_signed(value) > as_signed(old) ? value : old;
    case AtomicOp::max_unsigned:
      return value > old ? value : old;
    case AtomicOp::bit_and:
      return static_cast<Bits>(old & value);
    case AtomicOp::bit_or:
      return static_cast<Bits>(old | value);
    case AtomicOp::bit_xor:
      return static_cast<Bits>(old ^ value);
  }
  return old;
}

template <class Bits>
static Bits atomic(AtomicOp op, void* address, Bits value, Bits expected, std::uintptr_t code) {
  check_atomic(reinterpret_cast<std::uint64_t>(address), sizeof(Bits), code);
  auto* target = static_cast<Bits*>(address);
#if HARNESS_TSAN
  __tsan_func_entry(reinterpret_cast<void*>(code));
#endif
  Bits old =
      op == AtomicOp::compare_exchange ? expected : __atomic_load_n(target, __ATOMIC_RELAXED);
  const bool once = op == AtomicOp::compare_exchange;
  while (!replace(target, old, combine(op, old, value)) && !once) {
  }
#if HARNESS_TSAN
  __tsan_func_exit();
#endif
  return old;
}

std::uint64_t apply_atomic(AtomicOp op, std::uint64_t address, std::uint64_t size,
                           std::uint64_t value, std::uintptr_t code) {
  void* target = reinterpret_cast<void*>(address);
  if (size == 8) return atomic<std::uint64_t>(op, target, value, 0, code);
  return atomic<std::uint32_t>(op, target, static_cast<std::uint32_t>(value), 0, code);
}

}  // namespace harness::devices

extern "C" {

std::uint16_t afterlife_atomic16(harness::AtomicOp op, void* address, std::uint16_t value,
                                 std::uint16_t expected) {
  return harness::devices::atomic(op, address, value, expected,
                                  reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

std::uint32_t afterlife_atomic32(harness::AtomicOp op, void* address, std::uint32_t value,
                                 std::uint32_t expected) {
  return harness::devices::atomic(op, address, value, expected,
                                  reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

std::uint64_t afterlife_atomic64(harness::AtomicOp op, void* address, std::uint64_t value,
                                 std::uint64_t expected) {
  return harness::devices::atomic(op, address, value, expected,
                                  reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

}  // extern "C"
