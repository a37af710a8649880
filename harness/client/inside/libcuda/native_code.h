// SPDX-License-Identifier: Apache-2.0
// Native code: finds the module of an instruction, and its offset in the form that addr2line
// expects. It depends on the C library only.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>

namespace harness::entries {

/// Its texts live as long as the module is loaded.
struct NativeCode {
  const char* file = nullptr;      ///< Null if the code belongs to no module.
  const char* function = nullptr;  ///< Null if the loader does not know it.
  const void* base = nullptr;      ///< The beginning of the module.
  /// Relative to the link address; for code that cannot be relocated, the address itself.
  std::uintptr_t offset = 0;
};

/// Returns the executable file of the program, regardless of the name by which it was started.
inline const char* program_file() {
  static char name[4096];  // Threads that race here would write the same value.
  if (*name == '\0') (void)!readlink("/proc/self/exe", name, sizeof name - 1);
  return name;
}

/// Returns what the loader knows about an instruction.
inline NativeCode native_code(const void* code) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(code, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return {};
  // The loader has no name for the program; dladdr() returns the name by which it was started.
  return {*map->l_name == '\0' ? program_file() : map->l_name, info.dli_sname, info.dli_fbase,
          reinterpret_cast<std::uintptr_t>(code) - map->l_addr};
}

/// Returns whether a file is a library of the operating system.
inline bool is_system_library(const char* file) {
  constexpr char kLib[] = "/lib", kUsrLib[] = "/usr/lib";
  return strncmp(file, kLib, sizeof kLib - 1) == 0 ||
         strncmp(file, kUsrLib, sizeof kUsrLib - 1) == 0;
}

}  // namespace harness::entries
