// SPDX-License-Identifier: Apache-2.0
#include "harness/core/instruments/code_place.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace harness::instruments {
namespace {

/// A file mapped into memory while this exists; empty if it cannot be read.
class Mapped {
 public:
  explicit Mapped(const char* name) {
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status{};
    if (fstat(file, &status) == 0 && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      void* start = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
      if (start != MAP_FAILED) start_ = static_cast<const std::byte*>(start);
    }
    close(file);
  }
  ~Mapped() {
    if (start_ != nullptr) munmap(const_cast<std::byte*>(start_), bytes_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  /// Returns `count` items at `offset`, or none if the file is too short for them.
  template <class Item>
  std::span<const Item> items(std::uint64_t offset, std::uint64_t count) const {
    if (start_ == nullptr || offset > bytes_ || count > (bytes_ - offset) / sizeof(Item)) return {};
    return {reinterpret_cast<const Item*>(start_ + offset), static_cast<std::size_t>(count)};
  }

 private:
  const std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Returns the text at `offset` of a table of strings, within which it must end.
std::string_view text_at(std::span<const char> strings, std::uint32_t offset) {
  if (offset >= strings.size()) return {};
  const char* start = strings.data() + offset;
  return {start, strnlen(start, strings.size() - offset)};
}

/// Returns the function in this symbol table that contains `address`.
std::string_view function_in(const Mapped& file, std::span<const ElfW(Shdr)> sections,
                             const ElfW(Shdr) & table, std::uintptr_t address) {
  if (table.sh_link >= sections.size()) return {};
  const ElfW(Shdr)& names = sections[table.sh_link];
  const auto strings = file.items<char>(names.sh_offset, names.sh_size);
  for (const auto& symbol :
       file.items<ElfW(Sym)>(table.sh_offset, table.sh_size / sizeof(ElfW(Sym))))
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && address - symbol.st_value < symbol.st_size)
      return text_at(strings, symbol.st_name);
  return {};
}

std::string function_at(const char* name, std::uintptr_t address) {
  const Mapped file(name);
  const auto header = file.items<ElfW(Ehdr)>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto sections = file.items<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
  std::string_view found;
  for (const unsigned kind : {SHT_SYMTAB, SHT_DYNSYM})
    for (const ElfW(Shdr) & section : sections)
      if (section.sh_type == kind && found.empty())
        found = function_in(file, sections, section, address);
  return std::string(found);
}

bool contains(const dl_phdr_info& info, std::uintptr_t code) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && code - info.dlpi_addr - part.p_vaddr < part.p_memsz) return true;
  }
  return false;
}

struct Search {
  std::uintptr_t code;
  std::string file;
  std::uintptr_t address = 0;  ///< The address in the file.
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (!contains(*info, search.code)) return 0;
  search.file = *info->dlpi_name != '\0' ? info->dlpi_name : "/proc/self/exe";
  search.address = search.code - info->dlpi_addr;
  return 1;
}

}  // namespace

CodePlace code_place(std::uintptr_t code) {
  Search search{code, {}};
  dl_iterate_phdr(visit, &search);
  if (search.file.empty()) return {};
  std::string function = function_at(search.file.c_str(), search.address);
  std::error_code none;
  const std::filesystem::path real = std::filesystem::read_symlink(search.file, none);
  return {(none ? std::filesystem::path(search.file) : real).filename(), std::move(function)};
}

}  // namespace harness::instruments
