// SPDX-License-Identifier: Apache-2.0
// How it works. Processes that never import have no cost: the range is ordinary memory until the
// first view, when it is copied into a file. Pages that were never touched stay holes in the file.
#include "harness/devices/sim/memory/views.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/devices/sim/memory/touched_pages.h"

namespace harness::devices {

MemoryViews::~MemoryViews() {
  if (file_ >= 0) close(file_);
}

void MemoryViews::map_file(std::uint64_t at) const {
  const void* memory = mmap(reinterpret_cast<void*>(at), bytes_, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file_, 0);
  if (memory == MAP_FAILED) out_of_memory();
}

void MemoryViews::copy_into_file(PageRun pages) const {
  for (std::uint64_t from = pages.low; from < pages.high;) {
    // The system call is used because freed memory is copied too: ASan would report a read by
    // pwrite().
    const long written = syscall(SYS_pwrite64, file_, from, pages.high - from, from - low_);
    if (written <= 0) out_of_memory();
    from += static_cast<std::uint64_t>(written);
  }
}

/// Copies the memory into a file, so that it can be mapped at several addresses.
void MemoryViews::share(std::uint64_t used_end) {
  if (file_ >= 0) return;
  file_ = memfd_create("simulated device memory", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes_)) != 0) out_of_memory();
  TouchedPages touched(low_, used_end);
  for (PageRun pages = touched.next(); pages.low < pages.high; pages = touched.next())
    copy_into_file(pages);
  map_file(low_);
  for (const auto& [at, overlay] : overlays_) map_overlay(at, overlay);
}

void MemoryViews::map(std::uint64_t at, std::uint64_t from, std::uint64_t bytes,
                      std::uint64_t used_end) {
  share(used_end);
  const void* memory =
      mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file_, static_cast<off_t>(from - low_));
  if (memory == MAP_FAILED) out_of_memory();
}

void MemoryViews::map_overlay(std::uint64_t at, const Overlay& overlay) {
  const void* memory =
      mmap(reinterpret_cast<void*>(at), overlay.bytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, overlay.file, static_cast<off_t>(overlay.offset));
  if (memory == MAP_FAILED) out_of_memory();
}

void MemoryViews::lay_over(std::uint64_t at, std::uint64_t bytes, int file, std::uint64_t offset) {
  const Overlay overlay{bytes, file, offset};
  map_overlay(at, overlay);
  overlays_[at] = overlay;
}

void MemoryViews::take_back(std::uint64_t at) {
  const auto known = overlays_.find(at);
  if (known == overlays_.end()) return;
  const std::uint64_t bytes = known->second.bytes;
  overlays_.erase(known);
  if (shared()) return map_overlay(at, {bytes, file_, at - low_});
  const void* memory = mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) out_of_memory();
}

void MemoryViews::unmap(std::uint64_t at, std::uint64_t bytes) {
  const void* memory = mmap(reinterpret_cast<void*>(at), bytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) out_of_memory();
}

void MemoryViews::open(ProcessId process, std::uint64_t used_end) {
  const std::uint32_t bit = std::uint32_t{1} << raw(process);
  if ((mapped_ & bit) != 0) return;
  share(used_end);
  map_file(base(process));
  mapped_ |= bit;
}

}  // namespace harness::devices
