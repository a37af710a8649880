// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/kernels/symbolize.h"

#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace harness::devices {

namespace {

/// A loaded file, and an address relative to that file.
struct FileAddress {
  std::uintptr_t code;
  std::string file;
  std::uintptr_t address;
};

bool contains(const dl_phdr_info& info, std::uintptr_t code) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && code - info.dlpi_addr - part.p_vaddr < part.p_memsz) return true;
  }
  return false;
}

FileAddress find(std::uintptr_t code) {
  FileAddress place{code, {}, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        auto& wanted = *static_cast<FileAddress*>(argument);
        if (!contains(*info, wanted.code)) return 0;
        wanted.file = *info->dlpi_name != '\0' ? info->dlpi_name : "/proc/self/exe";
        wanted.address = wanted.code - info->dlpi_addr;
        return 1;
      },
      &place);
  return place;
}

/// Returns the file's real name, since /proc/self is another process for the symbolizer.
std::string real_name(const std::string& file) {
  std::array<char, 4096> name;
  const ssize_t bytes = readlink(file.c_str(), name.data(), name.size());
  return bytes > 0 ? std::string(name.data(), static_cast<std::size_t>(bytes)) : file;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string output_of(const std::string& command) {
  std::string output;
  std::FILE* pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr)
    output += buffer.data();
  pclose(pipe);
  return output;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// "saxpy(float*)", "a/kernel.cu:37:5" -> "kernel.cu:37 saxpy".
std::string in_words(std::string_view function, std::string_view line) {
  line = line.substr(line.rfind('/') + 1);
  line = line.substr(0, line.rfind(':'));
  function = function.substr(0, function.find('('));
  if (line.empty() || line.front() == '?') return {};
  return std::string(line) + " " + std::string(function);
}

}  // namespace

std::string symbolize(std::uintptr_t code) {
  const FileAddress place = find(code - 1);
  if (place.file.empty()) return {};
  std::array<char, 32> address;
  std::snprintf(address.data(), address.size(), "0x%zx", static_cast<std::size_t>(place.address));
  const std::string arguments = " --demangle --inlines --obj=" + quoted(real_name(place.file)) +
                                " " + address.data() + " 2>&-";
  for (const char* symbolizer : {"llvm-symbolizer-19", "llvm-symbolizer"}) {
    const std::string output = output_of(std::string(symbolizer) + arguments);
    std::string_view rest = output;
    const std::string_view function = take_line(rest);
    const std::string_view line = take_line(rest);
    if (!line.empty()) return in_words(function, line);
  }
  return {};
}

}  // namespace harness::devices
