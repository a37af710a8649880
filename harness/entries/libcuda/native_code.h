// SPDX-License-Identifier: Apache-2.0
// Native code: finds the module of an instruction, and its offset there as addr2line counts it. It
// needs the C library only.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>

namespace harness::entries {

/// Its texts live as long as the module is loaded.
struct NativeCode {
  const char* file = nullptr;      ///< Null where the code is of no module.
  const char* function = nullptr;  ///< Null where the loader knows none.
  const void* base = nullptr;      ///< Where the module begins.
  /// From where it was linked: the address itself where it cannot move.
  std::uintptr_t offset = 0;
};

/// Returns the file of the program, whatever it was called by.
inline const char* program_file() {
  static char name[4096];  // The first caller writes the value; all callers would write the same.
  if (*name == '\0') (void)!readlink("/proc/self/exe", name, sizeof name - 1);
  return name;
}

/// Returns what the loader knows of an instruction.
inline NativeCode native_code(const void* code) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(code, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return {};
  // The loader has no name for the program, and dladdr() the one that it was called by.
  return {*map->l_name == '\0' ? program_file() : map->l_name, info.dli_sname, info.dli_fbase,
          reinterpret_cast<std::uintptr_t>(code) - map->l_addr};
}

/// Returns whether a file is a library that comes with the system.
inline bool is_system_library(const char* file) {
  constexpr char kLib[] = "/lib", kUsrLib[] = "/usr/lib";
  return strncmp(file, kLib, sizeof kLib - 1) == 0 ||
         strncmp(file, kUsrLib, sizeof kUsrLib - 1) == 0;
}

}  // namespace harness::entries
