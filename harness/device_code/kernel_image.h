// SPDX-License-Identifier: Apache-2.0
// KernelImage: the export of a kernel.cu that was compiled for the host. It takes the place of a
// fatbin: cuModuleLoadData accepts it on the simulated device. Plain data, so that it can cross a
// shared library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace harness {

inline constexpr std::uint64_t kKernelImageMagic = 0x414645524c494645;  // "AFERLIFE"

/// The operation of an atomic in a kernel. One function executes all of them.
enum class AtomicOp : std::uint8_t {
  add,
  add_float,
  exchange,
  compare_exchange,
  min_signed,
  min_unsigned,
  max_signed,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
};

/// Says how a fetch chooses the level of a mipmapped texture.
enum class KernelLevels : std::uint32_t { base, given, by_gradients };

/// A fetch from a texture. The coordinates are the bits of f32 values, or texel indices.
struct KernelFetch {
  std::uint64_t texture;
  std::uint32_t dimensions;  ///< Number of coordinates.
  std::uint32_t is_layered;
  std::uint32_t layer;
  std::uint32_t is_by_number;
  std::uint32_t coordinates[3];
  std::uint32_t is_cube = 0;  ///< The coordinates are a direction from the middle of a cube.
  KernelLevels levels = KernelLevels::base;
  std::uint32_t level = 0;       ///< The bits of the level: f32 if the coordinates are.
  float gradients[2][3] = {};    ///< Changes of the coordinates, two of them.
  std::int32_t offsets[3] = {};  ///< Added to the coordinates, in texels.
  std::uint32_t is_gathered =
      0;  ///< The fetch returns one channel of four texels, instead of a filtered value.
  std::uint32_t channel = 0;
};

/// Says how an access outside of a surface is handled.
enum class KernelBoundary : std::uint32_t { trap, clamp, zero };

/// An access to `bytes` bytes of a surface. The first coordinate is the number of a byte.
struct KernelSurfaceAccess {
  std::uint64_t surface;
  std::uint32_t dimensions;  ///< Number of coordinates.
  std::uint32_t is_layered;
  std::uint32_t layer;
  std::uint32_t bytes;
  KernelBoundary boundary;
  std::int32_t coordinates[3];
  std::uint32_t is_by_texel = 0;  ///< The first coordinate is the number of a texel, not a byte.
};

/// A query of a texture or surface.
enum class KernelTexelQuery : std::uint32_t {
  is_texture,
  is_surface,
  width,
  height,
  depth,
  array_size,
  normalized_coords,
  num_mipmap_levels,
};

struct KernelParameter {
  std::uint32_t offset;  ///< Offset in the parameter buffer, as nvcc lays it out.
  std::uint32_t bytes;
};

/// Bytes [low, high).
struct KernelRange {
  std::uint64_t low;
  std::uint64_t high;
};

/// One access in the text of a translated kernel, with the addresses that the device has allowed it
/// in the running block, so that it need not call the device for them. The kernel owns it, zero at
/// first; the device fills it at a call and clears it when the block ends.
struct KernelSite {
  std::uint64_t low;    ///< Accesses that begin at [low, low + count) are allowed.
  std::uint64_t count;  ///< 0 if nothing is known.
  KernelRange* used;    ///< The bytes of each use, to be recorded. A use that begins at the end of
                        ///< the range extends it; others are reported to the device.
};

/// Describes how an access that does not call the device treats words of device memory. A word in
/// [pointers_low, pointers_low + pointers_bytes) may be a pointer, so its load is reported to the
/// device. For a stored word, `stored` is written `shadow` bytes beyond it.
struct KernelWords {
  std::uint64_t pointers_low;
  std::uint64_t pointers_bytes;
  std::uint64_t shadow;
  std::uint64_t stored;
};

/// Environment of a translated kernel, passed after its parameters as one more.
struct KernelSurroundings {
  const std::uint32_t* registers;  ///< threadIdx, blockIdx, blockDim, gridDim.
  std::byte* shared;               ///< Shared memory of the block: static variables, then dynamic
                                   ///< ones.
  std::uint64_t shared_bytes;
  std::uint64_t dynamic_shared;    ///< Offset of the dynamic variables, whose size came with the
                                   ///< launch.
  const std::uint64_t* variables;  ///< Addresses of the module's variables.
  const KernelWords* words;
  std::uint64_t grid;  ///< Memory for barriers across a cooperative grid; 0 in other launches.
};

/// Properties that only a translated kernel has.
struct KernelExtras {
  std::uint32_t shared_bytes;    ///< Static.
  std::uint32_t thread_limit;    ///< Limit for a block; 0 for that of the device.
  std::uint32_t register_limit;  ///< 0 if not stated.
  std::uint32_t local_bytes;     ///< Local memory of a thread.
  std::uint32_t constant_bytes;  ///< Bytes of all constant variables of the module.
  std::uint32_t ptx_version;     ///< 83 for 8.3.
  std::uint32_t target;          ///< 80 for sm_80.
  std::uint32_t variable_count;
  const std::uint64_t* variables;  ///< Addresses of the variables, once the device has given them
                                   ///< storage.
};

struct KernelEntry {
  const char* name;
  /// Runs one thread of the kernel. `parameters[i]` points at the copied value of parameter i.
  void (*call)(void* const* parameters);
  const KernelParameter* parameters;
  std::uint32_t parameter_count;
  std::uint32_t parameter_bytes;
  const KernelExtras* extras = nullptr;  ///< Null for kernels that were compiled with the harness.
};

/// A variable of a module, in memory of the device.
struct KernelVariable {
  const char* name;
  std::uint64_t bytes;
  const std::byte* initial;  ///< All its bytes, or null for zeroes.
  bool is_managed = false;
};

/// An address of one variable in the initial bytes of another.
struct KernelRelocation {
  std::uint32_t variable;
  std::uint32_t target;
  std::uint64_t offset;  ///< Offset in the variable.
  std::uint64_t addend;
};

struct KernelImage {
  std::uint64_t magic;
  const char* path;
  const KernelEntry* entries;
  std::uint32_t entry_count;
  std::uint32_t variable_count = 0;
  const KernelVariable* variables = nullptr;
  std::uint64_t* variable_addresses = nullptr;  ///< Filled by the device.
  const KernelRelocation* relocations = nullptr;
  std::uint32_t relocation_count = 0;
};

}  // namespace harness
