// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/native_place.h"

#include <execinfo.h>

#include <algorithm>
#include <array>

#include "harness/client/inside/libcuda/instrument_hooks.h"
#include "harness/client/inside/libcuda/memory_hooks.h"
#include "harness/client/inside/libcuda/native_code.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {

static NativeCode code_at(std::uintptr_t code) {
  return native_code(reinterpret_cast<const void*>(code));
}

/// Appends the frame of an instruction, unless it is ours.
static void add_frame(client::Place& place, std::uintptr_t at) {
  static const auto base_of = [](const void* code) {
    return code != nullptr ? native_code(code).base : nullptr;
  };
  static const void* const kOurs = base_of(reinterpret_cast<const void*>(&native_place));
  static const void* const kPreloaded = base_of(dlsym(RTLD_DEFAULT, kTakeMemoryHooks));
  static const void* const kInstrumented = base_of(dlsym(RTLD_DEFAULT, kTakeInstrumentHooks));
  const NativeCode code = code_at(at);
  if (code.file == nullptr || code.base == kOurs || code.base == kPreloaded ||
      code.base == kInstrumented)
    return;
  place.push_back({code.file, 0, code.function != nullptr ? code.function : "", code.offset,
                   is_system_library(code.file)});
}

client::Place place_of(std::span<const std::uintptr_t> codes) {
  client::Place place;
  for (const std::uintptr_t code : codes) add_frame(place, code - 1);
  return place;
}

client::Place native_place(std::uintptr_t interrupted) {
  constexpr int kFrameLimit = 48;
  std::array<void*, kFrameLimit> codes{};
  const int count = backtrace(codes.data(), kFrameLimit);
  client::Place place;
  // Frames of a runtime are not part of the program's place.
  const auto outer = std::ranges::find(codes, ProcessWorld::outer_call().return_address);
  const auto first =
      outer != codes.end() && *outer != nullptr ? static_cast<int>(outer - codes.begin()) : 0;
  for (int i = first; i < count; ++i) {
    // Except for an interrupted instruction, these are return addresses, one past the call.
    const auto at = reinterpret_cast<std::uintptr_t>(codes[static_cast<std::size_t>(i)]);
    add_frame(place, at == interrupted ? at : at - 1);
  }
  return place;
}

void add_kernel_frame(client::Place& place, std::uintptr_t code, const std::string& kernel) {
  const NativeCode called = code_at(code - 1);
  if (called.file != nullptr)
    place.insert(place.begin(), {called.file, 0, kernel, called.offset, false});
}

}  // namespace harness::entries
