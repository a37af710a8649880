// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/preload/cuda_runtime.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

int is_runtime(dl_phdr_info* info, size_t, void*) {
  return strstr(info->dlpi_name, "libcudart.so") != nullptr ? 1 : 0;
}

/// Returns whether this part of the file exists.
bool has_part(size_t size, size_t begin, size_t bytes) {
  return begin <= size && bytes <= size - begin;
}

bool has_kernels(const char* file, size_t size) {
  if (size < sizeof(Elf64_Ehdr)) return false;
  const auto& head = *reinterpret_cast<const Elf64_Ehdr*>(file);
  if (!has_part(size, head.e_shoff, head.e_shnum * sizeof(Elf64_Shdr))) return false;
  if (head.e_shstrndx >= head.e_shnum) return false;
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + head.e_shoff);
  const Elf64_Shdr& names = sections[head.e_shstrndx];
  if (!has_part(size, names.sh_offset, names.sh_size)) return false;
  constexpr char kWanted[] = ".nv_fatbin";
  for (int i = 0; i < head.e_shnum; ++i) {
    const bool fits = has_part(names.sh_size, sections[i].sh_name, sizeof kWanted);
    const char* name = file + names.sh_offset + sections[i].sh_name;
    if (fits && memcmp(name, kWanted, sizeof kWanted) == 0) return true;
  }
  return false;
}

bool executable_has_kernels() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat status{};
  const size_t size = fstat(file, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  void* mapped = size != 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  if (mapped == MAP_FAILED) return false;
  const bool has_them = has_kernels(static_cast<const char*>(mapped), size);
  munmap(mapped, size);
  return has_them;
}

}  // namespace

namespace harness::entries {

bool has_cuda_runtime() {
  static const bool is_static = executable_has_kernels();
  return is_static || dl_iterate_phdr(is_runtime, nullptr) != 0;
}

}  // namespace harness::entries
