// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/build_id.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace harness::client {
namespace {

namespace fs = std::filesystem;

/// Returns a part of the file, or "" if it cannot be read or is too large.
std::string part_of(std::ifstream& file, std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t kLimit = 1 << 16;
  if (bytes > kLimit) return {};
  std::string part(bytes, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(part.data(), static_cast<std::streamsize>(bytes));
  return file.gcount() == static_cast<std::streamsize>(bytes) ? part : "";
}

template <class T>
bool copy(std::string_view from, std::size_t at, T& to) {
  if (at > from.size() || from.size() - at < sizeof to) return false;
  std::memcpy(&to, from.data() + at, sizeof to);
  return true;
}

/// Returns the build-id in an ELF note segment, or "".
std::string id_in(std::string_view notes) {
  constexpr std::string_view kOwner("GNU", 4);
  const auto aligned = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  Elf64_Nhdr note;
  for (std::size_t at = 0; copy(notes, at, note);) {
    const std::size_t name = at + sizeof note, content = name + aligned(note.n_namesz);
    at = content + aligned(note.n_descsz);
    if (at > notes.size()) return {};
    if (note.n_type != NT_GNU_BUILD_ID || notes.substr(name, note.n_namesz) != kOwner) continue;
    std::string id;
    for (const char byte : notes.substr(content, note.n_descsz))
      id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return id;
  }
  return {};
}

}  // namespace

std::string build_id_of(const Command& command) {
  if (command.empty() || fs::path(command.front()).filename().string().starts_with("python"))
    return {};
  std::ifstream file(command.front(), std::ios::binary);
  Elf64_Ehdr header;
  if (!copy(part_of(file, 0, sizeof header), 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const std::uint64_t at = header.e_phoff + std::uint64_t{i} * sizeof segment;
    if (!copy(part_of(file, at, sizeof segment), 0, segment) || segment.p_type != PT_NOTE) continue;
    if (std::string id = id_in(part_of(file, segment.p_offset, segment.p_filesz)); !id.empty())
      return id;
  }
  return {};
}

}  // namespace harness::client
