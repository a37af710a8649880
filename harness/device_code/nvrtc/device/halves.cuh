// SPDX-License-Identifier: Apache-2.0
// Halves: the types and functions of cuda_fp16.h that most programs use.
#pragma once

#include "harness/device_code/nvrtc/device/functions.cuh"

struct __half {
  _Float16 value;
  __half() = default;
  __host__ __device__ __half(float from) : value(static_cast<_Float16>(from)) {}
  __host__ __device__ operator float() const { return value; }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
};
using half = __half;
using half2 = __half2;

AFTERLIFE_DEVICE __half afterlife_half(_Float16 value) {
  __half made;
  made.value = value;
  return made;
}
AFTERLIFE_DEVICE __half __float2half(float x) { return {x}; }
AFTERLIFE_DEVICE __half __float2half_rn(float x) { return {x}; }
AFTERLIFE_DEVICE float __half2float(__half x) { return x; }
AFTERLIFE_DEVICE __half __int2half_rn(int x) { return afterlife_half(static_cast<_Float16>(x)); }
AFTERLIFE_DEVICE int __half2int_rz(__half x) { return static_cast<int>(x.value); }
AFTERLIFE_DEVICE __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(__half, x); }
AFTERLIFE_DEVICE unsigned short __half_as_ushort(__half x) {
  return __builtin_bit_cast(unsigned short, x.value);
}

#define AFTERLIFE_HALVES(name, name2, sign)                                                     \
  AFTERLIFE_DEVICE __half operator sign(__half x, __half y) {                                   \
    return afterlife_half(x.value sign y.value);                                                \
  }                                                                                             \
  AFTERLIFE_DEVICE __half name(__half x, __half y) { return x sign y; }                         \
  AFTERLIFE_DEVICE __half2 name2(__half2 x, __half2 y) { return {x.x sign y.x, x.y sign y.y}; } \
  AFTERLIFE_DEVICE __half2 operator sign(__half2 x, __half2 y) { return name2(x, y); }          \
  AFTERLIFE_DEVICE __half& operator sign##=(__half & x, __half y) { return x = x sign y; }
AFTERLIFE_HALVES(__hadd, __hadd2, +)
AFTERLIFE_HALVES(__hsub, __hsub2, -)
AFTERLIFE_HALVES(__hmul, __hmul2, *)
AFTERLIFE_HALVES(__hdiv, __h2div, /)

#define AFTERLIFE_HALF_ORDER(name, sign)                                                   \
  AFTERLIFE_DEVICE bool operator sign(__half x, __half y) { return x.value sign y.value; } \
  AFTERLIFE_DEVICE bool name(__half x, __half y) { return x.value sign y.value; }
AFTERLIFE_HALF_ORDER(__heq, ==)
AFTERLIFE_HALF_ORDER(__hne, !=)
AFTERLIFE_HALF_ORDER(__hlt, <)
AFTERLIFE_HALF_ORDER(__hle, <=)
AFTERLIFE_HALF_ORDER(__hgt, >)
AFTERLIFE_HALF_ORDER(__hge, >=)

AFTERLIFE_DEVICE __half operator-(__half x) { return afterlife_half(-x.value); }
AFTERLIFE_DEVICE __half __hneg(__half x) { return -x; }
AFTERLIFE_DEVICE __half __habs(__half x) { return x.value < 0 ? -x : x; }
AFTERLIFE_DEVICE __half __hfma(__half x, __half y, __half z) {
  return afterlife_half(__builtin_fmaf16(x.value, y.value, z.value));
}
AFTERLIFE_DEVICE __half hsqrt(__half x) { return {__builtin_sqrtf(x)}; }
AFTERLIFE_DEVICE __half hexp(__half x) { return {expf(x)}; }
AFTERLIFE_DEVICE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
AFTERLIFE_DEVICE __half2 __half2half2(__half x) { return {x, x}; }
AFTERLIFE_DEVICE __half2 __float2half2_rn(float x) { return {{x}, {x}}; }
AFTERLIFE_DEVICE __half2 __floats2half2_rn(float x, float y) { return {{x}, {y}}; }
AFTERLIFE_DEVICE __half __low2half(__half2 x) { return x.x; }
AFTERLIFE_DEVICE __half __high2half(__half2 x) { return x.y; }
AFTERLIFE_DEVICE float __low2float(__half2 x) { return x.x; }
AFTERLIFE_DEVICE float __high2float(__half2 x) { return x.y; }
AFTERLIFE_DEVICE float2 __half22float2(__half2 x) { return {x.x, x.y}; }
AFTERLIFE_DEVICE __half2 __hfma2(__half2 x, __half2 y, __half2 z) {
  return {__hfma(x.x, y.x, z.x), __hfma(x.y, y.y, z.y)};
}
