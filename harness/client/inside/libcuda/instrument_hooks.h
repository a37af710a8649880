// SPDX-License-Identifier: Apache-2.0
// Instrument hooks: the interface between libafterlife_instrumented.so, which instrumented code
// calls at each access of memory, and the driver, which detects data races and chooses the next
// thread before each atomic operation. It depends on the C library only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace harness::entries {

/// The calls in which a thread of the program is, the outermost first. Ownership: the library has
/// one for each thread and modifies the calls; the driver numbers them.
struct CallPath {
  static constexpr std::uint32_t kMostCalls = 256;
  std::uint32_t depth = 0;        ///< May be more than are kept.
  std::uint32_t known_count = 0;  ///< How many of the kept calls are numbered.
  const void* calls[kMostCalls];  ///< Their return addresses.
  std::uint32_t nodes[kMostCalls];

  void enter(const void* returns_to) {
    if (depth < kMostCalls) calls[depth] = returns_to;
    ++depth;
  }
  /// Functions that were entered before the path existed leave it empty.
  void leave() {
    if (depth != 0) --depth;
    if (known_count > depth) known_count = depth;
  }
};

enum class AtomicKind : std::uint8_t { load, store, exchange, compare };

/// An access of memory by the program.
struct HostAccess {
  std::uintptr_t address;
  std::size_t bytes;
  bool writes;
  bool is_atomic;
  const void* returns_to;  ///< The address after the call that reports it.
  CallPath* path;
};

/// An atomic operation. Orders are numbered as in C++: 0 is relaxed, and 5 is seq_cst.
struct AtomicOperation {
  HostAccess access;
  AtomicKind kind;
  int order;
};

/// Threads: any, for all functions. They have no effect for a thread that takes no turns.
struct InstrumentHooks {
  /// Called before an access that is not atomic.
  void (*accesses)(const HostAccess& access);
  /// Called before an atomic operation. Another thread may run first.
  void (*comes)(const AtomicOperation& operation);
  /// Called after it. `value`: the value that it read or stored. `changed`: it changed memory.
  void (*made)(const AtomicOperation& operation, std::uint64_t value, bool changed);
  void (*fence)(int order);
  /// Called after the calling thread has acquired, or before it releases, what orders threads.
  void (*acquired)(const void* object);
  void (*releases)(const void* object);
};

/// The function of that library which receives the table, by its exported name.
inline constexpr const char* kTakeInstrumentHooks = "afterlife_take_instrument_hooks";
using TakeInstrumentHooks = void (*)(const InstrumentHooks* hooks);

/// The function of the preloaded library which receives a function that is called before memory is
/// freed or unmapped.
inline constexpr const char* kTakeFreeHook = "afterlife_take_free_hook";
using FreeHook = void (*)(void* memory, std::size_t bytes);
using TakeFreeHook = void (*)(FreeHook hook);

}  // namespace harness::entries
