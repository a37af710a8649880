// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/ptx/driver_table.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "harness/device_code/kernel_image.h"

// Functions of harness/devices/sim/kernels, which kernels that are compiled with the harness find
// by name.
extern "C" {
void __prov_loadN_noabort(unsigned long address, unsigned long bytes);
void __prov_storeN_noabort(unsigned long address, unsigned long bytes);
void afterlife_load_at(unsigned long address, unsigned long bytes, ptx::Site* site);
void afterlife_store_at(unsigned long address, unsigned long bytes, ptx::Site* site);
std::uint16_t afterlife_atomic16(unsigned char operation, unsigned long address,
                                 std::uint16_t value, std::uint16_t expected);
std::uint32_t afterlife_atomic32(unsigned char operation, unsigned long address,
                                 std::uint32_t value, std::uint32_t expected);
std::uint64_t afterlife_atomic64(unsigned char operation, unsigned long address,
                                 std::uint64_t value, std::uint64_t expected);
int afterlife_wait_at(std::uint32_t barrier, std::uint32_t threads, int predicate);
void afterlife_arrive_at(std::uint32_t barrier, std::uint32_t threads);
void afterlife_poll(int has_news);
void afterlife_wait_for_grid();
std::uint64_t afterlife_malloc(std::uint64_t bytes);
void afterlife_free(std::uint64_t address);
std::uint64_t afterlife_shuffle(std::uint32_t mask, std::uint64_t value, std::uint32_t lane);
std::uint32_t afterlife_ballot(std::uint32_t mask, int predicate);
std::uint32_t afterlife_active_lanes(std::uint64_t site);
void afterlife_gather(std::uint32_t mask, const unsigned long* given, std::uint32_t count,
                      unsigned long* all);
void afterlife_set_conditional(std::uint64_t handle, std::uint32_t value);
void afterlife_fetch_texture(const ptx::Fetch* asked, std::uint32_t* words);
void afterlife_load_surface(const ptx::SurfaceAccess* asked, void* bytes);
void afterlife_store_surface(const ptx::SurfaceAccess* asked, const void* bytes);
void afterlife_store_texel(const ptx::SurfaceAccess* asked, const std::uint32_t* channels);
void afterlife_reduce_surface(const ptx::SurfaceAccess* asked, unsigned char operation,
                              unsigned long value);
std::uint32_t afterlife_query_texels(unsigned long handle, ptx::TexelQuery what,
                                     std::uint32_t level);
void afterlife_stop_kernel(std::uint32_t why, const char* words);
void afterlife_exit_thread();
void afterlife_sleep(std::uint32_t nanoseconds);
std::uint32_t afterlife_print(std::uint64_t format, std::uint64_t values);
void afterlife_fail_assertion(std::uint64_t message, std::uint64_t file, std::uint32_t line,
                              std::uint64_t function);
}

namespace harness::ptx {

// Compares the layouts on both sides of the interface, which share no header.
#define AFTERLIFE_ALIKE(ours, theirs, member)                         \
  static_assert(offsetof(ours, member) == offsetof(theirs, member) && \
                    sizeof(ours::member) == sizeof(theirs::member),   \
                "one layout")
AFTERLIFE_ALIKE(KernelSurroundings, ::ptx::Thread, registers);
AFTERLIFE_ALIKE(KernelSurroundings, ::ptx::Thread, shared);
AFTERLIFE_ALIKE(KernelSurroundings, ::ptx::Thread, shared_bytes);
AFTERLIFE_ALIKE(KernelSurroundings, ::ptx::Thread, dynamic_shared);
AFTERLIFE_ALIKE(KernelSurroundings, ::ptx::Thread, variables);
AFTERLIFE_ALIKE(KernelSurroundings, ::ptx::Thread, words);
AFTERLIFE_ALIKE(KernelSurroundings, ::ptx::Thread, grid);
AFTERLIFE_ALIKE(KernelWords, ::ptx::Words, pointers_low);
AFTERLIFE_ALIKE(KernelWords, ::ptx::Words, pointers_bytes);
AFTERLIFE_ALIKE(KernelWords, ::ptx::Words, shadow);
AFTERLIFE_ALIKE(KernelWords, ::ptx::Words, stored);
AFTERLIFE_ALIKE(KernelSite, ::ptx::Site, low);
AFTERLIFE_ALIKE(KernelSite, ::ptx::Site, count);
AFTERLIFE_ALIKE(KernelSite, ::ptx::Site, used);
AFTERLIFE_ALIKE(KernelRange, ::ptx::Range, low);
AFTERLIFE_ALIKE(KernelRange, ::ptx::Range, high);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, texture);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, dimensions);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, is_layered);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, layer);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, is_by_number);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, coordinates);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, is_cube);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, levels);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, level);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, gradients);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, offsets);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, is_gathered);
AFTERLIFE_ALIKE(KernelFetch, ::ptx::Fetch, channel);
AFTERLIFE_ALIKE(KernelSurfaceAccess, ::ptx::SurfaceAccess, surface);
AFTERLIFE_ALIKE(KernelSurfaceAccess, ::ptx::SurfaceAccess, dimensions);
AFTERLIFE_ALIKE(KernelSurfaceAccess, ::ptx::SurfaceAccess, is_layered);
AFTERLIFE_ALIKE(KernelSurfaceAccess, ::ptx::SurfaceAccess, layer);
AFTERLIFE_ALIKE(KernelSurfaceAccess, ::ptx::SurfaceAccess, bytes);
AFTERLIFE_ALIKE(KernelSurfaceAccess, ::ptx::SurfaceAccess, boundary);
AFTERLIFE_ALIKE(KernelSurfaceAccess, ::ptx::SurfaceAccess, coordinates);
AFTERLIFE_ALIKE(KernelSurfaceAccess, ::ptx::SurfaceAccess, is_by_texel);
#undef AFTERLIFE_ALIKE

#define AFTERLIFE_ONE_NUMBER(ours, theirs, name) \
  static_assert(static_cast<int>(ours::name) == static_cast<int>(theirs::name), "one number")
AFTERLIFE_ONE_NUMBER(KernelLevels, ::ptx::Levels, base);
AFTERLIFE_ONE_NUMBER(KernelLevels, ::ptx::Levels, given);
AFTERLIFE_ONE_NUMBER(KernelLevels, ::ptx::Levels, by_gradients);
AFTERLIFE_ONE_NUMBER(KernelBoundary, ::ptx::Boundary, trap);
AFTERLIFE_ONE_NUMBER(KernelBoundary, ::ptx::Boundary, clamp);
AFTERLIFE_ONE_NUMBER(KernelBoundary, ::ptx::Boundary, zero);
AFTERLIFE_ONE_NUMBER(KernelTexelQuery, ::ptx::TexelQuery, is_texture);
AFTERLIFE_ONE_NUMBER(KernelTexelQuery, ::ptx::TexelQuery, is_surface);
AFTERLIFE_ONE_NUMBER(KernelTexelQuery, ::ptx::TexelQuery, width);
AFTERLIFE_ONE_NUMBER(KernelTexelQuery, ::ptx::TexelQuery, height);
AFTERLIFE_ONE_NUMBER(KernelTexelQuery, ::ptx::TexelQuery, depth);
AFTERLIFE_ONE_NUMBER(KernelTexelQuery, ::ptx::TexelQuery, array_size);
AFTERLIFE_ONE_NUMBER(KernelTexelQuery, ::ptx::TexelQuery, normalized_coords);
AFTERLIFE_ONE_NUMBER(KernelTexelQuery, ::ptx::TexelQuery, num_mipmap_levels);
#undef AFTERLIFE_ONE_NUMBER

::ptx::Driver driver_table() {
  ::ptx::Driver made{};
  made.load = __prov_loadN_noabort;
  made.store = __prov_storeN_noabort;
  made.load_at = afterlife_load_at;
  made.store_at = afterlife_store_at;
  made.atomic16 = afterlife_atomic16;
  made.atomic32 = afterlife_atomic32;
  made.atomic64 = afterlife_atomic64;
  made.wait_at = afterlife_wait_at;
  made.arrive_at = afterlife_arrive_at;
  made.poll = afterlife_poll;
  made.wait_for_grid = afterlife_wait_for_grid;
  made.malloc = afterlife_malloc;
  made.free = afterlife_free;
  made.shuffle = afterlife_shuffle;
  made.ballot = afterlife_ballot;
  made.active = afterlife_active_lanes;
  made.gather = afterlife_gather;
  made.stop = afterlife_stop_kernel;
  made.exit = afterlife_exit_thread;
  made.sleep = afterlife_sleep;
  made.print = afterlife_print;
  made.fail_assertion = afterlife_fail_assertion;
  made.set_conditional = afterlife_set_conditional;
  made.fetch = afterlife_fetch_texture;
  made.load_surface = afterlife_load_surface;
  made.store_surface = afterlife_store_surface;
  made.store_texel = afterlife_store_texel;
  made.reduce_surface = afterlife_reduce_surface;
  made.query_texels = afterlife_query_texels;
  made.fma32 = std::fma;
  made.fma64 = std::fma;
  made.exp2 = std::exp2;
  made.log2 = std::log2;
  made.sin = std::sin;
  made.cos = std::cos;
  made.tanh = std::tanh;
  return made;
}

}  // namespace harness::ptx
