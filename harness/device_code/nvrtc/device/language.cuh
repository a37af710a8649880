// SPDX-License-Identifier: Apache-2.0
// Language: the keywords that CUDA adds to C++, for clang. Source: CUDA C++ Programming Guide.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__ __attribute__((grid_constant))

#define AFTERLIFE_DEVICE static __device__ __attribute__((always_inline, nodebug, unused)) inline
#define AFTERLIFE_BOTH \
  static __host__ __device__ __attribute__((always_inline, nodebug, unused)) inline

using size_t = decltype(sizeof(0));

#define AFTERLIFE_VECTORS(type, scalar, align2, align4)                                     \
  struct type##1 { scalar x; };                                                             \
  struct __attribute__((aligned(align2))) type##2 { scalar x, y; };                         \
  struct type##3 { scalar x, y, z; };                                                       \
  struct __attribute__((aligned(align4))) type##4 { scalar x, y, z, w; };                   \
  AFTERLIFE_BOTH type##1 make_##type##1(scalar x) { return {x}; }                           \
  AFTERLIFE_BOTH type##2 make_##type##2(scalar x, scalar y) { return {x, y}; }              \
  AFTERLIFE_BOTH type##3 make_##type##3(scalar x, scalar y, scalar z) { return {x, y, z}; } \
  AFTERLIFE_BOTH type##4 make_##type##4(scalar x, scalar y, scalar z, scalar w) {           \
    return {x, y, z, w};                                                                    \
  }

AFTERLIFE_VECTORS(char, signed char, 2, 4)
AFTERLIFE_VECTORS(uchar, unsigned char, 2, 4)
AFTERLIFE_VECTORS(short, short, 4, 8)
AFTERLIFE_VECTORS(ushort, unsigned short, 4, 8)
AFTERLIFE_VECTORS(int, int, 8, 16)
AFTERLIFE_VECTORS(uint, unsigned, 8, 16)
AFTERLIFE_VECTORS(long, long, 16, 16)
AFTERLIFE_VECTORS(ulong, unsigned long, 16, 16)
AFTERLIFE_VECTORS(longlong, long long, 16, 16)
AFTERLIFE_VECTORS(ulonglong, unsigned long long, 16, 16)
AFTERLIFE_VECTORS(float, float, 8, 16)
AFTERLIFE_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

/// The indices of a thread: members that are read from registers.
#define AFTERLIFE_REGISTERS(name, of)                                             \
  struct afterlife_##name {                                                       \
    __declspec(property(get = get_x)) unsigned x;                                 \
    __declspec(property(get = get_y)) unsigned y;                                 \
    __declspec(property(get = get_z)) unsigned z;                                 \
    AFTERLIFE_DEVICE unsigned get_x() { return __nvvm_read_ptx_sreg_##of##_x(); } \
    AFTERLIFE_DEVICE unsigned get_y() { return __nvvm_read_ptx_sreg_##of##_y(); } \
    AFTERLIFE_DEVICE unsigned get_z() { return __nvvm_read_ptx_sreg_##of##_z(); } \
    __device__ operator dim3() const { return {get_x(), get_y(), get_z()}; }      \
    __device__ operator uint3() const { return {get_x(), get_y(), get_z()}; }     \
  };                                                                              \
  extern const __device__ __attribute__((weak)) afterlife_##name name;

AFTERLIFE_REGISTERS(threadIdx, tid)
AFTERLIFE_REGISTERS(blockIdx, ctaid)
AFTERLIFE_REGISTERS(blockDim, ntid)
AFTERLIFE_REGISTERS(gridDim, nctaid)
static const __device__ __attribute__((unused)) int warpSize = 32;

AFTERLIFE_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
AFTERLIFE_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
AFTERLIFE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
AFTERLIFE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
AFTERLIFE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
AFTERLIFE_DEVICE int __syncthreads_count(int value) { return __nvvm_bar0_popc(value); }
AFTERLIFE_DEVICE int __syncthreads_and(int value) { return __nvvm_bar0_and(value); }
AFTERLIFE_DEVICE int __syncthreads_or(int value) { return __nvvm_bar0_or(value); }
AFTERLIFE_DEVICE void __trap() { __builtin_trap(); }

extern "C" __device__ int vprintf(const char* format, const char* values);
extern "C" __device__ int printf(const char* format, ...);
extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned line,
                                        const char* function, size_t character_bytes);
extern "C" __device__ void* malloc(size_t bytes);
extern "C" __device__ void free(void* memory);

#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition)             \
  ((condition) ? static_cast<void>(0) \
               : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#endif
