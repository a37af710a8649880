// SPDX-License-Identifier: Apache-2.0
// Textures: fetches from textures, loads and stores of surfaces, for clang. Source: CUDA C++
// Programming Guide. Each function is one PTX instruction, with a 32-bit register per channel.
#pragma once

#include "harness/device_code/nvrtc/device/language.cuh"

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2
};

struct afterlife_texel {
  unsigned x, y, z, w;
};

/// Converts the bits of a channel to a scalar.
template <class T>
AFTERLIFE_DEVICE T afterlife_channel(unsigned bits) {
  return static_cast<T>(bits);
}
template <>
__device__ __attribute__((always_inline, nodebug, unused)) inline float afterlife_channel<float>(
    unsigned bits) {
  return __builtin_bit_cast(float, bits);
}

/// Converts a texel to a scalar or a vector.
template <class T>
struct afterlife_read {
  AFTERLIFE_DEVICE T of(const afterlife_texel& texel) { return afterlife_channel<T>(texel.x); }
};
#define AFTERLIFE_TEXELS(type, scalar)                                         \
  template <>                                                                  \
  struct afterlife_read<type##1> {                                             \
    AFTERLIFE_DEVICE type##1 of(const afterlife_texel& t) {                    \
      return {afterlife_channel<scalar>(t.x)};                                 \
    }                                                                          \
  };                                                                           \
  template <>                                                                  \
  struct afterlife_read<type##2> {                                             \
    AFTERLIFE_DEVICE type##2 of(const afterlife_texel& t) {                    \
      return {afterlife_channel<scalar>(t.x), afterlife_channel<scalar>(t.y)}; \
    }                                                                          \
  };                                                                           \
  template <>                                                                  \
  struct afterlife_read<type##4> {                                             \
    AFTERLIFE_DEVICE type##4 of(const afterlife_texel& t) {                    \
      return {afterlife_channel<scalar>(t.x), afterlife_channel<scalar>(t.y),  \
              afterlife_channel<scalar>(t.z), afterlife_channel<scalar>(t.w)}; \
    }                                                                          \
  };
AFTERLIFE_TEXELS(char, signed char)
AFTERLIFE_TEXELS(uchar, unsigned char)
AFTERLIFE_TEXELS(short, short)
AFTERLIFE_TEXELS(ushort, unsigned short)
AFTERLIFE_TEXELS(int, int)
AFTERLIFE_TEXELS(uint, unsigned)
AFTERLIFE_TEXELS(float, float)
#undef AFTERLIFE_TEXELS

// ---- textures ----

#define AFTERLIFE_FETCH(instruction, coordinates, ...)                   \
  afterlife_texel t;                                                     \
  asm volatile(instruction " {%0, %1, %2, %3}, [%4, {" coordinates "}];" \
               : "=r"(t.x), "=r"(t.y), "=r"(t.z), "=r"(t.w)              \
               : "l"(texture), __VA_ARGS__);                             \
  return afterlife_read<T>::of(t)

template <class T>
AFTERLIFE_DEVICE T tex1Dfetch(cudaTextureObject_t texture, int x) {
  AFTERLIFE_FETCH("tex.1d.v4.u32.s32", "%5", "r"(x));
}
template <class T>
AFTERLIFE_DEVICE T tex1D(cudaTextureObject_t texture, float x) {
  AFTERLIFE_FETCH("tex.1d.v4.u32.f32", "%5", "f"(x));
}
template <class T>
AFTERLIFE_DEVICE T tex2D(cudaTextureObject_t texture, float x, float y) {
  AFTERLIFE_FETCH("tex.2d.v4.u32.f32", "%5, %6", "f"(x), "f"(y));
}
template <class T>
AFTERLIFE_DEVICE T tex3D(cudaTextureObject_t texture, float x, float y, float z) {
  AFTERLIFE_FETCH("tex.3d.v4.u32.f32", "%5, %6, %7, %7", "f"(x), "f"(y), "f"(z));
}
template <class T>
AFTERLIFE_DEVICE T tex1DLayered(cudaTextureObject_t texture, float x, int layer) {
  AFTERLIFE_FETCH("tex.a1d.v4.u32.f32", "%5, %6", "r"(layer), "f"(x));
}
template <class T>
AFTERLIFE_DEVICE T tex2DLayered(cudaTextureObject_t texture, float x, float y, int layer) {
  AFTERLIFE_FETCH("tex.a2d.v4.u32.f32", "%5, %6, %7, %7", "r"(layer), "f"(x), "f"(y));
}
#undef AFTERLIFE_FETCH

// ---- surfaces ----

/// Holds the bytes of a value, as registers.
struct afterlife_words {
  unsigned x, y, z, w;
};

#define AFTERLIFE_SURFACE(boundary)                                                               \
  AFTERLIFE_DEVICE afterlife_words afterlife_load_##boundary(cudaSurfaceObject_t s, int x, int y, \
                                                             unsigned bytes) {                    \
    afterlife_words v{};                                                                          \
    if (bytes == 4)                                                                               \
      asm volatile("suld.b.2d.b32." #boundary " {%0}, [%1, {%2, %3}];"                            \
                   : "=r"(v.x)                                                                    \
                   : "l"(s), "r"(x), "r"(y));                                                     \
    else if (bytes == 8)                                                                          \
      asm volatile("suld.b.2d.v2.b32." #boundary " {%0, %1}, [%2, {%3, %4}];"                     \
                   : "=r"(v.x), "=r"(v.y)                                                         \
                   : "l"(s), "r"(x), "r"(y));                                                     \
    else                                                                                          \
      asm volatile("suld.b.2d.v4.b32." #boundary " {%0, %1, %2, %3}, [%4, {%5, %6}];"             \
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                   \
                   : "l"(s), "r"(x), "r"(y));                                                     \
    return v;                                                                                     \
  }                                                                                               \
  AFTERLIFE_DEVICE void afterlife_store_##boundary(                                               \
      const afterlife_words& v, cudaSurfaceObject_t s, int x, int y, unsigned bytes) {            \
    if (bytes == 4)                                                                               \
      asm volatile("sust.b.2d.b32." #boundary " [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x), "r"(y),  \
                   "r"(v.x));                                                                     \
    else if (bytes == 8)                                                                          \
      asm volatile("sust.b.2d.v2.b32." #boundary " [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(x),   \
                   "r"(y), "r"(v.x), "r"(v.y));                                                   \
    else                                                                                          \
      asm volatile("sust.b.2d.v4.b32." #boundary " [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s),   \
                   "r"(x), "r"(y), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));                       \
  }
AFTERLIFE_SURFACE(zero)
AFTERLIFE_SURFACE(clamp)
AFTERLIFE_SURFACE(trap)
#undef AFTERLIFE_SURFACE

/// Reads a value of 4, 8 or 16 bytes that begins at byte `x` of row `y`.
template <class T>
AFTERLIFE_DEVICE T surf2Dread(cudaSurfaceObject_t surface, int x, int y,
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "4, 8 or 16 bytes");
  const afterlife_words words =
      mode == cudaBoundaryModeZero    ? afterlife_load_zero(surface, x, y, sizeof(T))
      : mode == cudaBoundaryModeClamp ? afterlife_load_clamp(surface, x, y, sizeof(T))
                                      : afterlife_load_trap(surface, x, y, sizeof(T));
  T value;
  __builtin_memcpy(&value, &words, sizeof(T));
  return value;
}
template <class T>
AFTERLIFE_DEVICE void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x, int y,
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "4, 8 or 16 bytes");
  afterlife_words words{};
  __builtin_memcpy(&words, &value, sizeof(T));
  if (mode == cudaBoundaryModeZero)
    afterlife_store_zero(words, surface, x, y, sizeof(T));
  else if (mode == cudaBoundaryModeClamp)
    afterlife_store_clamp(words, surface, x, y, sizeof(T));
  else
    afterlife_store_trap(words, surface, x, y, sizeof(T));
}
