// SPDX-License-Identifier: Apache-2.0
// Kernel: all that a kernel.cu may include. Under nvcc it adds next to nothing. For clang it is a
// shim that makes a kernel ordinary C++, called once for each CUDA thread.
//
// A kernel.cu defines its entries (extern "C" __global__) and ends with AFTERLIFE_KERNELS(<path>,
// <entry>...). Not supported: printf, most functions of textures and surfaces, inline PTX, wmma,
// TMA, __device__ variables, launches by <<<>>>. Declare dynamic shared memory with
// AFTERLIFE_DYNAMIC_SHARED(type, name) in the kernel. Static shared memory keeps the values of the
// previous block, as on hardware.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)

#define AFTERLIFE_KERNELS(path, ...)
#define AFTERLIFE_DYNAMIC_SHARED(type, name) extern __shared__ type name[]

#else

#include <bit>
#include <type_traits>
#include <utility>

#include "harness/device_code/kernel_image.h"

// The object file exports only the kernel image: functions shared with host code would call
// __prov_* on the host. Functions of this header have no line information, so that an access in
// them is reported at the kernel's call.
#define AFTERLIFE_LOCAL __attribute__((internal_linkage, unused))
#define AFTERLIFE_SHIM AFTERLIFE_LOCAL __attribute__((always_inline, nodebug)) inline

#define __global__ AFTERLIFE_LOCAL
#define __device__ AFTERLIFE_LOCAL
#define __host__
#define __constant__ AFTERLIFE_LOCAL
#define __shared__ thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define AFTERLIFE_DYNAMIC_SHARED(type, name) \
  type* const name = static_cast<type*>(afterlife_dynamic_shared())

// ---- functions of the runner (devices/sim/kernels: runner.cpp, exchanges.cpp, atomics.cpp) ----

extern "C" {
/// threadIdx, blockIdx, blockDim, gridDim.
extern thread_local std::uint32_t afterlife_special_registers[12];
/// Returns one of them in position-independent code. Constant within a thread of a kernel.
__attribute__((const)) std::uint32_t afterlife_special_register(int index);
__attribute__((const)) void* afterlife_dynamic_shared();
/// Waits for the block. Returns the number of threads whose `predicate` is not 0.
int afterlife_sync_threads(int predicate);
/// Waits for the lanes of `mask`. Returns the value passed by `lane`.
std::uint64_t afterlife_shuffle(std::uint32_t mask, std::uint64_t value, std::uint32_t lane);
/// Waits for the lanes of `mask`. Returns the set of those whose `predicate` is not 0.
std::uint32_t afterlife_ballot(std::uint32_t mask, int predicate);
std::uint32_t afterlife_atomic32(harness::AtomicOp op, void* address, std::uint32_t value,
                                 std::uint32_t expected);
std::uint64_t afterlife_atomic64(harness::AtomicOp op, void* address, std::uint64_t value,
                                 std::uint64_t expected);
/// Sets the value of a conditional node of a graph (devices/sim/graphs).
void afterlife_set_conditional(std::uint64_t handle, std::uint32_t value);
/// Reads and writes texels (devices/sim/textures/texture_unit.cpp).
void afterlife_fetch_texture(const harness::KernelFetch* asked, std::uint32_t* words);
void afterlife_load_surface(const harness::KernelSurfaceAccess* asked, void* bytes);
void afterlife_store_surface(const harness::KernelSurfaceAccess* asked, const void* bytes);
}

// ---- vector types: of the size and alignment that CUDA gives them ----

struct uint3 {
  unsigned x, y, z;
};
struct int3 {
  int x, y, z;
};
struct float3 {
  float x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// Compiler vectors, so that a wide access is one access here, too.
using uchar4 = unsigned char __attribute__((ext_vector_type(4)));
using int2 = int __attribute__((ext_vector_type(2)));
using int4 = int __attribute__((ext_vector_type(4)));
using uint2 = unsigned __attribute__((ext_vector_type(2)));
using uint4 = unsigned __attribute__((ext_vector_type(4)));
using float2 = float __attribute__((ext_vector_type(2)));
using float4 = float __attribute__((ext_vector_type(4)));
using double2 = double __attribute__((ext_vector_type(2)));
using ulonglong2 = unsigned long long __attribute__((ext_vector_type(2)));
using double4_32a = double __attribute__((ext_vector_type(4)));
using ulonglong4_32a = unsigned long long __attribute__((ext_vector_type(4)));

AFTERLIFE_SHIM float2 make_float2(float x, float y) { return {x, y}; }
AFTERLIFE_SHIM float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
AFTERLIFE_SHIM int2 make_int2(int x, int y) { return {x, y}; }
AFTERLIFE_SHIM int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
AFTERLIFE_SHIM uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
AFTERLIFE_SHIM uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

// ---- conditions of graphs ----

using cudaGraphConditionalHandle = unsigned long long;

AFTERLIFE_SHIM void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
  afterlife_set_conditional(handle, value);
}

// ---- special registers ----

// Read by inline assembly, because clang would instrument a load, and every kernel has these reads.
// The value never changes within a thread, so the compiler may keep it.
template <int index>
AFTERLIFE_SHIM std::uint32_t afterlife_register() {
#if defined(__x86_64__) && (!defined(__PIC__) || defined(__PIE__))
  std::uint32_t value;
  asm("movl %%fs:afterlife_special_registers@tpoff+%c1, %0" : "=r"(value) : "i"(4 * index));
  return value;
#else
  return afterlife_special_register(index);
#endif
}

/// Reads three consecutive registers as x, y and z.
template <int first>
AFTERLIFE_SHIM uint3 afterlife_registers() {
  return {afterlife_register<first>(), afterlife_register<first + 1>(),
          afterlife_register<first + 2>()};
}

#define threadIdx (afterlife_registers<0>())
#define blockIdx (afterlife_registers<3>())
#define blockDim (afterlife_registers<6>())
#define gridDim (afterlife_registers<9>())

inline constexpr int warpSize = 32;

// ---- waiting for each other ----

AFTERLIFE_SHIM void __syncthreads() { afterlife_sync_threads(0); }
AFTERLIFE_SHIM int __syncthreads_count(int predicate) { return afterlife_sync_threads(predicate); }
AFTERLIFE_SHIM int __syncthreads_or(int predicate) {
  return afterlife_sync_threads(predicate) != 0;
}
AFTERLIFE_SHIM int __syncthreads_and(int predicate) {
  return afterlife_sync_threads(!predicate) == 0;
}
AFTERLIFE_SHIM void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
AFTERLIFE_SHIM void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
AFTERLIFE_SHIM void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

AFTERLIFE_SHIM void __syncwarp(unsigned mask = 0xffffffff) { afterlife_ballot(mask, 0); }
AFTERLIFE_SHIM unsigned __ballot_sync(unsigned mask, int predicate) {
  return afterlife_ballot(mask, predicate);
}
AFTERLIFE_SHIM int __any_sync(unsigned mask, int predicate) {
  return afterlife_ballot(mask, predicate) != 0;
}
AFTERLIFE_SHIM int __all_sync(unsigned mask, int predicate) {
  return afterlife_ballot(mask, !predicate) == 0;
}

/// Returns the index of the calling thread in its warp.
AFTERLIFE_SHIM unsigned afterlife_lane() {
  const uint3 thread = threadIdx;
  const uint3 size = blockDim;
  return (thread.x + size.x * (thread.y + size.y * thread.z)) % 32;
}

/// Waits for the lanes of `mask`. Returns the value that `lane` passed.
template <class T>
AFTERLIFE_SHIM T afterlife_exchange(unsigned mask, T value, unsigned lane) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = afterlife_shuffle(mask, bits, lane);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

// If the source lane is outside the segment of `width` lanes, a thread gets its own value.
template <class T>
AFTERLIFE_SHIM T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned first = afterlife_lane() & ~(static_cast<unsigned>(width) - 1);
  return afterlife_exchange(mask, value, first + (static_cast<unsigned>(source) & (width - 1)));
}
template <class T>
AFTERLIFE_SHIM T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = afterlife_lane();
  const bool inside = (lane & (width - 1)) + delta < static_cast<unsigned>(width);
  return afterlife_exchange(mask, value, inside ? lane + delta : lane);
}
template <class T>
AFTERLIFE_SHIM T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = afterlife_lane();
  const bool inside = (lane & (width - 1)) >= delta;
  return afterlife_exchange(mask, value, inside ? lane - delta : lane);
}
template <class T>
AFTERLIFE_SHIM T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const unsigned lane = afterlife_lane();
  const unsigned other = lane ^ static_cast<unsigned>(lane_mask);
  const bool inside = other / width <= lane / width;
  return afterlife_exchange(mask, value, inside ? other : lane);
}

// ---- atomics: out of line, since a compiler's atomic looks like a plain store to __prov_* ----

/// Executes `op` atomically, as the device does. Returns the old value.
template <class T>
AFTERLIFE_SHIM T afterlife_atomic(harness::AtomicOp op, T* address, T value, T expected = T{}) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "an atomic is of 4 or 8 bytes");
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Bits result;
  if constexpr (sizeof(T) == 4) {
    result =
        afterlife_atomic32(op, address, std::bit_cast<Bits>(value), std::bit_cast<Bits>(expected));
  } else {
    result =
        afterlife_atomic64(op, address, std::bit_cast<Bits>(value), std::bit_cast<Bits>(expected));
  }
  return std::bit_cast<T>(result);
}

AFTERLIFE_SHIM float atomicAdd(float* address, float value) {
  return afterlife_atomic(harness::AtomicOp::add_float, address, value);
}
AFTERLIFE_SHIM double atomicAdd(double* address, double value) {
  return afterlife_atomic(harness::AtomicOp::add_float, address, value);
}
template <class T>
AFTERLIFE_SHIM T atomicAdd(T* address, std::type_identity_t<T> value) {
  return afterlife_atomic(harness::AtomicOp::add, address, value);
}
template <class T>
AFTERLIFE_SHIM T atomicSub(T* address, std::type_identity_t<T> value) {
  return afterlife_atomic(harness::AtomicOp::add, address, static_cast<T>(T{0} - value));
}
template <class T>
AFTERLIFE_SHIM T atomicExch(T* address, std::type_identity_t<T> value) {
  return afterlife_atomic(harness::AtomicOp::exchange, address, value);
}
template <class T>
AFTERLIFE_SHIM T atomicCAS(T* address, std::type_identity_t<T> expected,
                           std::type_identity_t<T> value) {
  return afterlife_atomic(harness::AtomicOp::compare_exchange, address, value, expected);
}
template <class T>
AFTERLIFE_SHIM T atomicMin(T* address, std::type_identity_t<T> value) {
  return afterlife_atomic(
      T(-1) < T(0) ? harness::AtomicOp::min_signed : harness::AtomicOp::min_unsigned, address,
      value);
}
template <class T>
AFTERLIFE_SHIM T atomicMax(T* address, std::type_identity_t<T> value) {
  return afterlife_atomic(
      T(-1) < T(0) ? harness::AtomicOp::max_signed : harness::AtomicOp::max_unsigned, address,
      value);
}
template <class T>
AFTERLIFE_SHIM T atomicAnd(T* address, std::type_identity_t<T> value) {
  return afterlife_atomic(harness::AtomicOp::bit_and, address, value);
}
template <class T>
AFTERLIFE_SHIM T atomicOr(T* address, std::type_identity_t<T> value) {
  return afterlife_atomic(harness::AtomicOp::bit_or, address, value);
}
template <class T>
AFTERLIFE_SHIM T atomicXor(T* address, std::type_identity_t<T> value) {
  return afterlife_atomic(harness::AtomicOp::bit_xor, address, value);
}

// ---- textures and surfaces: one channel of 4 bytes; an access outside a surface traps ----

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;

/// Returns the first channel of a texel.
template <class T>
AFTERLIFE_SHIM T afterlife_fetch(const harness::KernelFetch& asked) {
  static_assert(sizeof(T) == 4, "a channel of 4 bytes");
  std::uint32_t words[4];
  afterlife_fetch_texture(&asked, words);
  return std::bit_cast<T>(words[0]);
}
/// Returns a texel by its number.
template <class T>
AFTERLIFE_SHIM T tex1Dfetch(cudaTextureObject_t texture, int x) {
  return afterlife_fetch<T>({texture, 1, 0, 0, 1, {static_cast<std::uint32_t>(x), 0, 0}});
}
/// Returns the value of a texture at (x, y).
template <class T>
AFTERLIFE_SHIM T tex2D(cudaTextureObject_t texture, float x, float y) {
  return afterlife_fetch<T>(
      {texture, 2, 0, 0, 0, {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y), 0}});
}
/// Reads a value whose first byte is `x`, in row `y`.
template <class T>
AFTERLIFE_SHIM T surf2Dread(cudaSurfaceObject_t surface, int x, int y) {
  const harness::KernelSurfaceAccess asked{
      surface, 2, 0, 0, sizeof(T), harness::KernelBoundary::trap, {x, y, 0}};
  T value;
  afterlife_load_surface(&asked, &value);
  return value;
}
/// Writes a value whose first byte is `x`, in row `y`.
template <class T>
AFTERLIFE_SHIM void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x, int y) {
  const harness::KernelSurfaceAccess asked{
      surface, 2, 0, 0, sizeof(T), harness::KernelBoundary::trap, {x, y, 0}};
  afterlife_store_surface(&asked, &value);
}

// ---- small things ----

template <class A, class B>
AFTERLIFE_SHIM auto min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B>
AFTERLIFE_SHIM auto max(A a, B b) {
  return a < b ? b : a;
}
template <class T>
AFTERLIFE_SHIM T __ldg(const T* address) {
  return *address;
}

// ---- the image ----

namespace harness {

/// A kernel's parameters as nvcc lays them out: each at its natural alignment.
template <auto* kernel, class... Parameters>
struct KernelTraits {
  /// Not instrumented: it reads the copied parameters, which belong to the driver.
  __attribute__((no_sanitize("kernel-address"))) static void call(void* const* parameters) {
    spread(parameters, std::index_sequence_for<Parameters...>{});
  }
  template <std::size_t... index>
  __attribute__((no_sanitize("kernel-address"), always_inline)) static void spread(
      [[maybe_unused]] void* const* parameters, std::index_sequence<index...>) {
    kernel(*static_cast<Parameters*>(parameters[index])...);
  }

  struct Layout {
    KernelParameter parameters[sizeof...(Parameters) + 1] = {};  // C++ has no empty arrays.
    std::uint32_t bytes = 0;
  };
  /// Places each parameter after the previous one.
  static constexpr Layout lay_out() {
    Layout layout;
    std::uint32_t i = 0;
    auto add = [&](std::uint32_t bytes, std::uint32_t alignment) {
      const std::uint32_t offset = (layout.bytes + alignment - 1) / alignment * alignment;
      layout.parameters[i++] = {offset, bytes};
      layout.bytes = offset + bytes;
    };
    (add(sizeof(Parameters), alignof(Parameters)), ...);
    return layout;
  }
  static constexpr Layout layout = lay_out();
};

/// Returns the row of a kernel image: its name, how it is called, and where its parameters are.
template <auto* kernel, class... Parameters>
constexpr KernelEntry kernel_entry(const char* name, void (*)(Parameters...)) {
  using Traits = KernelTraits<kernel, Parameters...>;
  return {name, Traits::call, Traits::layout.parameters, sizeof...(Parameters),
          Traits::layout.bytes};
}

}  // namespace harness

#define AFTERLIFE_PARENS ()
#define AFTERLIFE_EXPAND(...) AFTERLIFE_EXPAND3(AFTERLIFE_EXPAND3(AFTERLIFE_EXPAND3(__VA_ARGS__)))
#define AFTERLIFE_EXPAND3(...) AFTERLIFE_EXPAND2(AFTERLIFE_EXPAND2(AFTERLIFE_EXPAND2(__VA_ARGS__)))
#define AFTERLIFE_EXPAND2(...) AFTERLIFE_EXPAND1(AFTERLIFE_EXPAND1(AFTERLIFE_EXPAND1(__VA_ARGS__)))
#define AFTERLIFE_EXPAND1(...) __VA_ARGS__
#define AFTERLIFE_ENTRIES(entry, ...)            \
  harness::kernel_entry<&entry>(#entry, &entry), \
      __VA_OPT__(AFTERLIFE_ENTRIES_AGAIN AFTERLIFE_PARENS(__VA_ARGS__))
#define AFTERLIFE_ENTRIES_AGAIN() AFTERLIFE_ENTRIES

/// Exports the entries (up to 27) as extern "C" const harness::KernelImage
/// afterlife_kernels_<path>.
#define AFTERLIFE_KERNELS(path, ...)                              \
  static constexpr harness::KernelEntry afterlife_entries[] = {   \
      AFTERLIFE_EXPAND(AFTERLIFE_ENTRIES(__VA_ARGS__))};          \
  extern "C" const harness::KernelImage afterlife_kernels_##path; \
  const harness::KernelImage afterlife_kernels_##path = {         \
      harness::kKernelImageMagic, #path, afterlife_entries,       \
      sizeof(afterlife_entries) / sizeof(*afterlife_entries)};

#endif
