// Views: device memory at the addresses of those who import it.
//
// How it works. All processes' memory is in one range, whose addresses are those of the
// exporters. A view maps that whole range once more, so that opening a handle costs no system call:
// the mapping is in the importer's view where the block is in the range. Who never imports
// never pays: the range is ordinary memory until the first view, and is copied into a file then.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "harness/base/memory.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/sanitizers.h"

namespace harness::devices {

static void map_file(int file, std::uint64_t at) {
  const void* memory = mmap(reinterpret_cast<void*>(at), Memory::kBytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) out_of_memory();
}

/// From here on the memory is one that can be mapped at several addresses.
void Memory::share() {
  if (file_ >= 0) return;
  file_ = memfd_create("simulated device memory", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(kBytes)) != 0) out_of_memory();
  for (std::uint64_t from = range_.low; from < cursor_;) {
    // By the system call itself: what is dead is copied too, and ASan would see pwrite() read it.
    const long written = syscall(SYS_pwrite64, file_, from, cursor_ - from, from - range_.low);
    if (written <= 0) out_of_memory();
    from += static_cast<std::uint64_t>(written);
  }
  map_file(file_, range_.low);
}

void Memory::make_view(ProcessId process) {
  const std::uint32_t bit = std::uint32_t{1} << raw(process);
  if ((views_ & bit) != 0) return;
  share();
  map_file(file_, view(process));
  views_ |= bit;
}

std::uint32_t Memory::map(std::uint32_t exported, ProcessId importer) {
  const std::uint64_t base = view(importer) + (blocks_[exported].base - range_.low);
  const std::uint32_t granules = blocks_[exported].granules;
  const std::uint32_t* first = granules_ + (base - range_.low) / kGranule;
  if (std::any_of(first, first + granules,
                  [&](std::uint32_t index) { return !blocks_[index].dead; }))
    return 0;
  make_view(importer);
  const std::uint32_t index =
      give(Origin::imported, base, granules, blocks_[exported].bytes, *first);
  blocks_[index].exported = exported;
  ++blocks_[exported].import_count;
  install(index);
  return index;
}

void Memory::forget_mapping(const Block& mapping) {
  std::fill_n(granules_ + (mapping.base - range_.low) / kGranule, mapping.granules, 0);
  unpoison(reinterpret_cast<void*>(mapping.base), mapping.granules * kGranule);
}

/// An open mapping outlives what it was opened for, when the exporter frees early: then it leads to
/// nobody, or to whoever was given the storage since.
void Memory::look_through(const Block& mapping, BlockRef& here) const {
  const Block& exported = blocks_[mapping.exported];
  if (!exported.dead) [[likely]]
    return;
  here.lost = exported.birth;
  const Block& resident = blocks_[newest(exported.base)];
  here.met = resident.dead ? BirthId::none : resident.birth;
  here.bytes = std::min(here.bytes, resident.bytes);
}

}  // namespace harness::devices
