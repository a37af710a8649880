// SPDX-License-Identifier: Apache-2.0
// TextureUnit: reads textures, and reads and writes surfaces, for kernels.
//
// Each texel is checked like any other access of the kernel. An object refers to the lifetime that
// it was made for. The end of that, or of the object, is a fault at the instruction's line.
//
// Source: CUDA C++ programming guide, *Texture fetching*; PTX ISA 9.0, *Texture instructions* and
// *Surface instructions*. Filtered numbers are computed in f64 and rounded once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/base/label.h"
#include "harness/device_code/kernel_image.h"
#include "harness/devices/sim/textures/objects.h"

namespace harness::devices {

class SimDevice;

inline constexpr Label kTextureKind = "texture object";
inline constexpr Label kSurfaceKind = "surface object";

/// `code` is an address after the kernel's instruction. Errors: a fatal one does not return.
/// Threads: confined to the run's thread, within a running block.
class TextureUnit {
 public:
  explicit TextureUnit(SimDevice& sim) : sim_(sim) {}

  /// Returns the value at the coordinates: numbers as the bits of an f32, or integers of 32 bits.
  TexelWords fetch(const KernelFetch& asked, std::uintptr_t code);
  void load(const KernelSurfaceAccess& asked, std::byte* bytes, std::uintptr_t code);
  void store(const KernelSurfaceAccess& asked, const std::byte* bytes, std::uintptr_t code);
  /// Stores a texel with as many channels as access.bytes holds words; others are 0.
  void store_texel(const KernelSurfaceAccess& asked, const std::uint32_t* channels,
                   std::uintptr_t code);
  /// Changes 4 or 8 bytes atomically. For texels, signedness comes from the surface's format.
  void reduce(const KernelSurfaceAccess& asked, AtomicOp op, std::uint64_t value,
              std::uintptr_t code);
  std::uint32_t query(std::uint64_t handle, KernelTexelQuery what, std::uint32_t level,
                      std::uintptr_t code);

 private:
  template <class Table>
  auto find(const Table& table, std::uint64_t handle, Label kind, std::uintptr_t code)
      -> decltype(table.find(nullptr));

  SimDevice& sim_;
};

}  // namespace harness::devices
