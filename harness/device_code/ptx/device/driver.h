// SPDX-License-Identifier: Apache-2.0
// Driver: the interface between a translated module and the driver that runs it. Both are compiled
// with this header.
#pragma once

#include "harness/device_code/ptx/device/types.h"

namespace ptx {

/// Bytes [low, high).
struct Range {
  u64 low;
  u64 high;
};

/// An access in the text, with the addresses that the driver has allowed it in the current block:
/// KernelSite of harness/device_code/kernel_image.h.
struct Site {
  u64 low;
  u64 count;
  Range* used;
};

/// How an access that does not call the driver treats words: KernelWords of
/// harness/device_code/kernel_image.h.
struct Words {
  u64 pointers_low;
  u64 pointers_bytes;
  u64 shadow;
  u64 stored;
};

/// A fetch from a texture: KernelFetch of harness/device_code/kernel_image.h.
enum class Levels : u32 { base, given, by_gradients };
struct Fetch {
  u64 texture;
  u32 dimensions;
  u32 is_layered;
  u32 layer;
  u32 is_by_number;  ///< The coordinates are s32 texel numbers; otherwise f32.
  u32 coordinates[3];
  u32 is_cube;
  Levels levels;
  u32 level;  ///< Has the type of the coordinates.
  f32 gradients[2][3];
  s32 offsets[3];
  u32 is_gathered;
  u32 channel;
};

/// An access to a surface: KernelSurfaceAccess of harness/device_code/kernel_image.h.
enum class Boundary : u32 { trap, clamp, zero };
struct SurfaceAccess {
  u64 surface;
  u32 dimensions;
  u32 is_layered;
  u32 layer;
  u32 bytes;
  Boundary boundary;
  u32 coordinates[3];
  u32 is_by_texel;
};

/// A query of a texture or surface: KernelTexelQuery of harness/device_code/kernel_image.h.
enum class TexelQuery : u32 {
  is_texture,
  is_surface,
  width,
  height,
  depth,
  array_size,
  normalized_coords,
  num_mipmap_levels,
};

/// The functions of the driver that a translated module calls. The driver fills the table when it
/// loads the module. Checks do not return if the access is forbidden.
struct Driver {
  void (*load)(u64 address, u64 bytes);
  void (*store)(u64 address, u64 bytes);
  void (*load_at)(u64 address, u64 bytes, Site* site);
  void (*store_at)(u64 address, u64 bytes, Site* site);
  u16 (*atomic16)(u8 operation, u64 address, u16 value, u16 expected);
  u32 (*atomic32)(u8 operation, u64 address, u32 value, u32 expected);
  u64 (*atomic64)(u8 operation, u64 address, u64 value, u64 expected);
  /// Waits at one of barriers 0 to 15 of a block for this many threads, 0 for all. Returns the
  /// number of true predicates.
  int (*wait_at)(u32 barrier, u32 threads, int predicate);
  void (*arrive_at)(u32 barrier, u32 threads);  ///< Counts an arrival without waiting.
  /// Called when a thread has checked for arrivals. If there is no news, other threads run first.
  void (*poll)(int has_news);
  /// Called when a thread checks for other blocks at a barrier across the grid.
  void (*wait_for_grid)();
  u64 (*malloc)(u64 bytes);  ///< Allocates from the kernel heap; null if it is full.
  void (*free)(u64 address);
  u64 (*shuffle)(u32 mask, u64 value, u32 lane);
  u32 (*ballot)(u32 mask, int predicate);
  u32 (*active)(u64 site);  ///< Returns the lanes that reach the same place together.
  /// Takes `count` words from each lane of `mask`, and returns those of all 32 lanes in lane order.
  void (*gather)(u32 mask, const u64* given, u32 count, u64* all);
  void (*stop)(u32 why, const char* words);
  void (*exit)();
  void (*sleep)(u32 nanoseconds);
  u32 (*print)(u64 format, u64 values);
  void (*fail_assertion)(u64 message, u64 file, u32 line, u64 function);
  void (*set_conditional)(u64 handle, u32 value);
  void (*fetch)(const Fetch* asked, u32* words);
  void (*load_surface)(const SurfaceAccess* asked, void* bytes);
  void (*store_surface)(const SurfaceAccess* asked, const void* bytes);
  /// Stores a texel from these channels, each converted to the surface's format.
  void (*store_texel)(const SurfaceAccess* asked, const u32* channels);
  void (*reduce_surface)(const SurfaceAccess* asked, u8 operation, u64 value);
  u32 (*query_texels)(u64 handle, TexelQuery what, u32 level);
  f32 (*fma32)(f32 a, f32 b, f32 c);
  f64 (*fma64)(f64 a, f64 b, f64 c);
  f64 (*exp2)(f64 value);
  f64 (*log2)(f64 value);
  f64 (*sin)(f64 value);
  f64 (*cos)(f64 value);
  f64 (*tanh)(f64 value);
};

/// This table, in each module.
inline Driver driver;

/// The environment of a kernel apart from its parameters: KernelSurroundings of
/// harness/device_code/kernel_image.h.
struct Thread {
  const u32* registers;  ///< tid, ctaid, ntid, nctaid: x, y and z of each.
  u8* shared;            ///< The block's shared memory, static variables first.
  u64 shared_bytes;
  u64 dynamic_shared;    ///< Offset of the dynamic part, whose size comes with the launch.
  const u64* variables;  ///< Addresses of the module's variables.
  const Words* words;
  u64 grid;  ///< Memory for barriers across the grid; 0 unless the launch is cooperative.
};

/// The reason why an instruction ends its kernel.
enum class Stop : u32 { trap, unknown_instruction, misaligned };

}  // namespace ptx
