// SPDX-License-Identifier: Apache-2.0
// Warps: communication of threads by atomics, shuffles and votes, and functions on bits.
#pragma once

#include "harness/device_code/nvrtc/device/language.cuh"

#define AFTERLIFE_ATOMIC(name, type, call) \
  AFTERLIFE_DEVICE type name(type* place, type value) { return call(place, value, 0); }
#define AFTERLIFE_ATOMICS(name, call)    \
  AFTERLIFE_ATOMIC(name, int, call)      \
  AFTERLIFE_ATOMIC(name, unsigned, call) \
  AFTERLIFE_ATOMIC(name, unsigned long long, call)

AFTERLIFE_ATOMICS(atomicAdd, __atomic_fetch_add)
AFTERLIFE_ATOMIC(atomicAdd, float, __atomic_fetch_add)
AFTERLIFE_ATOMIC(atomicAdd, double, __atomic_fetch_add)
AFTERLIFE_ATOMIC(atomicSub, int, __atomic_fetch_sub)
AFTERLIFE_ATOMIC(atomicSub, unsigned, __atomic_fetch_sub)
AFTERLIFE_ATOMICS(atomicMin, __atomic_fetch_min)
AFTERLIFE_ATOMIC(atomicMin, long long, __atomic_fetch_min)
AFTERLIFE_ATOMICS(atomicMax, __atomic_fetch_max)
AFTERLIFE_ATOMIC(atomicMax, long long, __atomic_fetch_max)
AFTERLIFE_ATOMICS(atomicAnd, __atomic_fetch_and)
AFTERLIFE_ATOMICS(atomicOr, __atomic_fetch_or)
AFTERLIFE_ATOMICS(atomicXor, __atomic_fetch_xor)
AFTERLIFE_ATOMICS(atomicExch, __atomic_exchange_n)
AFTERLIFE_DEVICE float atomicExch(float* place, float value) {
  return __builtin_bit_cast(
      float, __atomic_exchange_n(reinterpret_cast<int*>(place), __builtin_bit_cast(int, value), 0));
}
AFTERLIFE_DEVICE unsigned atomicInc(unsigned* place, unsigned limit) {
  return __nvvm_atom_inc_gen_ui(place, limit);
}
AFTERLIFE_DEVICE unsigned atomicDec(unsigned* place, unsigned limit) {
  return __nvvm_atom_dec_gen_ui(place, limit);
}

#define AFTERLIFE_CAS(type)                                                 \
  AFTERLIFE_DEVICE type atomicCAS(type* place, type expected, type value) { \
    __atomic_compare_exchange_n(place, &expected, value, false, 0, 0);      \
    return expected;                                                        \
  }
AFTERLIFE_CAS(int)
AFTERLIFE_CAS(unsigned)
AFTERLIFE_CAS(unsigned long long)

AFTERLIFE_DEVICE void __syncwarp(unsigned mask = ~0U) { __nvvm_bar_warp_sync(mask); }
AFTERLIFE_DEVICE unsigned __activemask() {
#if __has_builtin(__nvvm_activemask)
  return __nvvm_activemask();
#else  // Clang 16 lacks it.
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
#endif
}
AFTERLIFE_DEVICE int __all_sync(unsigned mask, int value) {
  return __nvvm_vote_all_sync(mask, value != 0);
}
AFTERLIFE_DEVICE int __any_sync(unsigned mask, int value) {
  return __nvvm_vote_any_sync(mask, value != 0);
}
AFTERLIFE_DEVICE unsigned __ballot_sync(unsigned mask, int value) {
  return __nvvm_vote_ballot_sync(mask, value != 0);
}

/// Passes a value of 4 or 8 bytes to other lanes, word by word.
#define AFTERLIFE_SHUFFLE(name, call, limit)                                             \
  template <class T>                                                                     \
  AFTERLIFE_DEVICE T name(unsigned mask, T value, int other, int width = 32) {           \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);                                     \
    int words[sizeof(T) / 4];                                                            \
    __builtin_memcpy(words, &value, sizeof(T));                                          \
    for (int& word : words) word = call(mask, word, other, (32 - width) << 8 | (limit)); \
    __builtin_memcpy(&value, words, sizeof(T));                                          \
    return value;                                                                        \
  }
AFTERLIFE_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 31)
AFTERLIFE_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0)
AFTERLIFE_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 31)
AFTERLIFE_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, 31)

AFTERLIFE_DEVICE int __popc(unsigned bits) { return __builtin_popcount(bits); }
AFTERLIFE_DEVICE int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
AFTERLIFE_DEVICE int __clz(int bits) {
  return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits));
}
AFTERLIFE_DEVICE int __clzll(long long bits) {
  return bits == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(bits));
}
AFTERLIFE_DEVICE int __ffs(int bits) { return __builtin_ffs(bits); }
AFTERLIFE_DEVICE int __ffsll(long long bits) { return __builtin_ffsll(bits); }
AFTERLIFE_DEVICE unsigned __brev(unsigned bits) { return __builtin_bitreverse32(bits); }
AFTERLIFE_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
AFTERLIFE_DEVICE int __mulhi(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
AFTERLIFE_DEVICE int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
AFTERLIFE_DEVICE unsigned __float_as_uint(float value) {
  return __builtin_bit_cast(unsigned, value);
}
AFTERLIFE_DEVICE float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
AFTERLIFE_DEVICE float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
AFTERLIFE_DEVICE long long __double_as_longlong(double value) {
  return __builtin_bit_cast(long long, value);
}
AFTERLIFE_DEVICE double __longlong_as_double(long long bits) {
  return __builtin_bit_cast(double, bits);
}
template <class T>
AFTERLIFE_DEVICE T __ldg(const T* place) {
  return *place;
}
