#include "harness/entries/libcuda/native_place.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <array>
#include <string_view>

namespace harness::entries {

/// Comes with the system, and is not where a user's mistakes are.
static bool is_library(std::string_view file) {
  return file.starts_with("/lib") || file.starts_with("/usr/lib");
}

static Dl_info module_of(const void* code) {
  Dl_info info{};
  dladdr(code, &info);
  return info;
}

client::Place native_place(std::uintptr_t interrupted) {
  constexpr int kFrameLimit = 48;
  std::array<void*, kFrameLimit> codes{};
  const int count = backtrace(codes.data(), kFrameLimit);
  const void* ours = module_of(reinterpret_cast<const void*>(&native_place)).dli_fbase;
  client::Place place;
  for (int i = 0; i < count; ++i) {
    // All but one are where a call returns to, which is behind it.
    const auto at = reinterpret_cast<std::uintptr_t>(codes[static_cast<std::size_t>(i)]);
    const std::uintptr_t code = at == interrupted ? at : at - 1;
    const Dl_info info = module_of(reinterpret_cast<const void*>(code));
    if (info.dli_fbase == ours || info.dli_fname == nullptr) continue;
    place.push_back({info.dli_fname, 0, info.dli_sname != nullptr ? info.dli_sname : "",
                     code - reinterpret_cast<std::uintptr_t>(info.dli_fbase),
                     is_library(info.dli_fname)});
  }
  return place;
}

void add_kernel_frame(client::Place& place, std::uintptr_t code, const std::string& kernel) {
  const Dl_info info = module_of(reinterpret_cast<const void*>(code - 1));
  if (info.dli_fname == nullptr) return;
  const std::uintptr_t offset = code - 1 - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  place.insert(place.begin(), {info.dli_fname, 0, kernel, offset, false});
}

}  // namespace harness::entries
