// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/kernels/own_memory.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>

#include "harness/base/memory.h"
#include "harness/devices/sim/kernels/launch.h"

namespace harness::devices {

alignas(128) static constinit thread_local std::byte dynamic_shared[kDynamicSharedLimit];

std::byte* dynamic_shared_memory() { return dynamic_shared; }

alignas(8) static constinit thread_local GridMemory memory_of_grid;

GridMemory& grid_memory() { return memory_of_grid; }

static Window loaded_at(const dl_phdr_info& info) {
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    low = std::min<std::uint64_t>(low, info.dlpi_addr + part.p_vaddr);
    high = std::max<std::uint64_t>(high, info.dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  return {low, high - low};
}

static Window thread_storage_of(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_TLS)
      return {reinterpret_cast<std::uint64_t>(info.dlpi_tls_data), info.dlpi_phdr[i].p_memsz};
  return {};
}

/// Returns the window that holds `address`, among those that `window_of` returns for loaded
/// objects.
static Window window_around(const void* address, Window (*window_of)(const dl_phdr_info&)) {
  struct Search {
    std::uint64_t address;
    Window (*window_of)(const dl_phdr_info&);
    Window found;
  } search{reinterpret_cast<std::uint64_t>(address), window_of, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        auto& wanted = *static_cast<Search*>(argument);
        const Window window = wanted.window_of(*info);
        if (!window.holds(wanted.address, 1)) return 0;
        wanted.found = window;
        return 1;
      },
      &search);
  HARNESS_CHECK(search.found.bytes != 0, "the program knows where it was loaded");
  return search.found;
}

Window own_image() {
  static const Window image = window_around(reinterpret_cast<const void*>(&own_image), loaded_at);
  return image;
}

Window own_thread_storage() { return window_around(dynamic_shared, thread_storage_of); }

// ---- FreshAddresses ----------------------------------------------------------------------------

static constexpr std::uint64_t kFreshBytes = std::uint64_t{1} << 30;

FreshAddresses::~FreshAddresses() {
  if (base_ != 0) munmap(reinterpret_cast<void*>(base_), kFreshBytes);
}

std::uint64_t FreshAddresses::next(std::uint64_t bytes) {
  const std::uint64_t stride = (bytes + 4095) / 4096 * 4096;
  if (base_ == 0 || used_ + stride > kFreshBytes) renew();
  used_ += stride;
  return base_ + used_ - stride;
}

/// Maps the range again, because TSan then forgets what it knew of it.
void FreshAddresses::renew() {
  const int fixed = base_ != 0 ? MAP_FIXED : 0;
  void* memory = mmap(reinterpret_cast<void*>(base_), kFreshBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (memory == MAP_FAILED) out_of_memory();
  base_ = reinterpret_cast<std::uint64_t>(memory);
  used_ = 0;
}

}  // namespace harness::devices
