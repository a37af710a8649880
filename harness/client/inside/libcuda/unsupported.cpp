// SPDX-License-Identifier: Apache-2.0
// How it works. One function per row of unsupported.def. cuda.h is not included: the functions have
// no parameters, and ignore the arguments of their callers, which the calling convention permits.
#include "harness/client/inside/libcuda/unsupported.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "harness/base/missed_calls.h"

namespace {

constexpr int kNotSupported = 801;  ///< CUDA_ERROR_NOT_SUPPORTED.

enum class Row : std::size_t {
#define UNSUPPORTED(name) name,
#include "harness/client/inside/libcuda/unsupported.def"
  count
};
constexpr auto kCount = static_cast<std::size_t>(Row::count);

constexpr const char* kNames[] = {
#define UNSUPPORTED(name) #name,
#include "harness/client/inside/libcuda/unsupported.def"
};

harness::entries::MissedCalls calls("CUDA_ERROR_NOT_SUPPORTED", kNames);

int answer(Row row) {
  calls.note(static_cast<std::size_t>(row));
  return kNotSupported;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
#define UNSUPPORTED(name) \
  int name() { return answer(Row::name); }
#include "harness/client/inside/libcuda/unsupported.def"
}
#pragma GCC visibility pop

namespace harness::entries {

namespace {

struct Export {
  const char* name;
  int (*function)();
};
constexpr std::array<Export, kCount> kExports = {{
#define UNSUPPORTED(name) {#name, &::name},
#include "harness/client/inside/libcuda/unsupported.def"
}};

/// Returns whether `name` is `base`, a version of it, or its per-thread twin.
bool is_form_of(const char* name, const char* base) {
  const std::size_t length = std::strlen(base);
  return std::strncmp(name, base, length) == 0 && (name[length] == '\0' || name[length] == '_');
}

}  // namespace

bool is_table_wanted() { return calls.count(static_cast<std::size_t>(Row::cuGetExportTable)) > 0; }

void* find_unsupported(const char* base) {
  for (const Export& each : kExports)
    if (is_form_of(each.name, base)) return reinterpret_cast<void*>(each.function);
  return nullptr;
}

}  // namespace harness::entries
