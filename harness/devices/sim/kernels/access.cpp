// SPDX-License-Identifier: Apache-2.0
// The functions that a kernel calls before each access. We found by compiling which functions clang
// 19 emits for -fsanitize=kernel-address with this prefix: loads and stores of 1, 2, 4, 8 and 16
// bytes, N for other sizes and possibly misaligned accesses, and memcpy, memmove and memset
// (including struct copies and idioms). A compiler's atomics come as stores; ours are in
// atomics.cpp.
#include "harness/devices/sim/kernels/access.h"

#include <cstring>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/kernels/footprint.h"
#include "harness/devices/sim/kernels/own_memory.h"
#include "harness/devices/sim/kernels/provenance.h"

#define AFTERLIFE_CODE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

extern "C" {
#if HARNESS_ASAN
void* __asan_region_is_poisoned(void* address, std::size_t bytes);
void __asan_report_error(std::uintptr_t code, std::uintptr_t frame, std::uintptr_t stack,
                         std::uintptr_t address, int write, std::uintptr_t bytes,
                         unsigned experiment);
#endif
#if HARNESS_TSAN
void __tsan_func_entry(void* code);
void __tsan_func_exit();
void __tsan_read_range(void* address, unsigned long bytes);
void __tsan_write_range(void* address, unsigned long bytes);
#define AFTERLIFE_TSAN(bytes)                              \
  void __tsan_read##bytes##_pc(void* address, void* code); \
  void __tsan_write##bytes##_pc(void* address, void* code);
AFTERLIFE_TSAN(1)
AFTERLIFE_TSAN(2)
AFTERLIFE_TSAN(4)
AFTERLIFE_TSAN(8)
AFTERLIFE_TSAN(16)
#undef AFTERLIFE_TSAN
#endif
}

namespace harness::devices {

constinit thread_local AccessState access_state;

void AccessState::forget() {
  blocks = {};
  if (sites == nullptr) return;
  for (KernelSite* site : *sites) *site = {};
  sites->clear();
}

// ---- the sanitizer of this build ---------------------------------------------------------------

#if HARNESS_TSAN
static void tell_tsan(void* address, std::uint64_t size, bool write, void* code) {
  if (reinterpret_cast<std::uintptr_t>(address) % size == 0) {
    switch (size) {
      case 1:
        return write ? __tsan_write1_pc(address, code) : __tsan_read1_pc(address, code);
      case 2:
        return write ? __tsan_write2_pc(address, code) : __tsan_read2_pc(address, code);
      case 4:
        return write ? __tsan_write4_pc(address, code) : __tsan_read4_pc(address, code);
      case 8:
        return write ? __tsan_write8_pc(address, code) : __tsan_read8_pc(address, code);
      case 16:
        return write ? __tsan_write16_pc(address, code) : __tsan_read16_pc(address, code);
    }
  }
  __tsan_func_entry(code);
  write ? __tsan_write_range(address, size) : __tsan_read_range(address, size);
  __tsan_func_exit();
}
#endif

static inline void forward_access([[maybe_unused]] std::uint64_t address,
                                  [[maybe_unused]] std::uint64_t size, [[maybe_unused]] bool write,
                                  [[maybe_unused]] std::uintptr_t code) {
#if HARNESS_ASAN
  if (size == 0) return;
  void* bad = __asan_region_is_poisoned(reinterpret_cast<void*>(address), size);
  if (bad == nullptr) [[likely]]
    return;
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  __asan_report_error(code, frame, frame, reinterpret_cast<std::uintptr_t>(bad), write, size, 0);
#elif HARNESS_TSAN
  const AccessState& state = access_state;
  if (size == 0 || state.stack.holds(address, size)) return;  // In the thread's own stack.
  if (state.shared.holds(address, size)) address += state.shared_shift;
  tell_tsan(reinterpret_cast<void*>(address), size, write, reinterpret_cast<void*>(code));
#endif
}

// ---- accesses outside of all windows -----------------------------------------------------------

/// Checks an access outside of all windows. Returns whether it is to device memory.
[[gnu::noinline]] static bool judge(std::uint64_t address, std::uint64_t size, bool write,
                                    std::uintptr_t code) {
  AccessState& state = access_state;
  if (state.provenance == nullptr) return false;
  for (const Window* own : {&state.shared, &state.stack})
    if (own->holds(address, size)) return false;
  if (!write && own_image().holds(address, size)) return false;
  if (!state.provenance->oracle()) return true;
  const AddressRange known = state.provenance->judge(address, size, code);
  if (known.low == known.high) state.abandon();
  state.remember({known.low, known.high - known.low});
  return true;
}

/// The result of a search in the windows.
enum class Known : std::uint8_t { device, own, nothing };

[[gnu::always_inline]] static inline Known look_up(std::uint64_t address, std::uint64_t size) {
  const AccessState& state = access_state;
  if (state.blocks[0].holds(address, size)) return Known::device;
  if (state.shared.holds(address, size)) return Known::own;
  for (std::size_t i = 1; i < state.blocks.size(); ++i)
    if (state.blocks[i].holds(address, size)) return Known::device;
  return Known::nothing;
}

/// Returns whether the access is to device memory. Does not return if it is fatal.
static inline bool in_device(std::uint64_t address, std::uint64_t size, bool write,
                             std::uintptr_t code) {
  const Known known = look_up(address, size);
  return known == Known::nothing ? judge(address, size, write, code) : known == Known::device;
}

// ---- pointers in device memory -----------------------------------------------------------------

/// Reads a word without telling the sanitizer: the kernel may have read only a part of it, while
/// another thread writes the rest.
__attribute__((no_sanitize("thread", "alignment"))) static inline std::uint64_t word_at(
    std::uint64_t address) {
  return *reinterpret_cast<const std::uint64_t*>(address);
}

static inline void follow(std::uint64_t address) {
  const std::uint64_t value = word_at(address);
  if (access_state.device.holds(value, 1)) [[unlikely]]
    access_state.provenance->loaded_pointer(address, value);
}

/// Pointers of a packed record are looked for up to this byte.
static constexpr std::uint64_t kRecordBytes = 64;

/// Follows pointers that are not aligned to 8 bytes, since records may be packed.
[[gnu::noinline]] static void loaded_packed(std::uint64_t address, std::uint64_t size) {
  for (std::uint64_t word = address; word + 8 <= address + size; ++word)
    if (word % 8 != 0) follow(word);
}

static inline void loaded(std::uint64_t address, std::uint64_t size) {
  if ((size != 8 && size <= kRecordBytes && size != 16) || (address & 7) != 0) [[unlikely]]
    loaded_packed(address, size);
  for (std::uint64_t word = (address + 7) & ~std::uint64_t{7}; word + 8 <= address + size;
       word += 8)
    follow(word);
}

static inline void stored(std::uint64_t address, std::uint64_t size) {
  if (size == 8 && (address & 7) != 0) [[unlikely]]
    return access_state.provenance->stored(address);
  for (std::uint64_t word = (address + 7) & ~std::uint64_t{7}; word + 8 <= address + size;
       word += 8)
    access_state.provenance->stored(word);
}

[[gnu::noinline]] static void note_use(std::uint64_t address, std::uint64_t size, AccessMode mode) {
  access_state.footprint->add(address, size, mode);
}

/// Returns whether an access is the last part of a word. Compilers copy structures of unknown
/// alignment byte by byte, and load words in halves.
static inline bool is_last_of_word(std::uint64_t address, std::uint64_t size) {
  return ((address + size) & 7) == 0;
}

/// Called after an allowed load.
[[gnu::always_inline]] static inline void loaded_from_device(std::uint64_t address,
                                                             std::uint64_t size) {
  if (access_state.footprint != nullptr) [[unlikely]]
    note_use(address, size, AccessMode::read);
  if (size >= 8) return loaded(address, size);
  if (is_last_of_word(address, size)) [[unlikely]]
    follow(address & ~std::uint64_t{7});
}

/// Called before an allowed store.
[[gnu::always_inline]] static inline void stored_to_device(std::uint64_t address,
                                                           std::uint64_t size) {
  if (access_state.footprint != nullptr) [[unlikely]]
    note_use(address, size, AccessMode::write);
  if (size >= 8) return stored(address, size);
  // We have not seen a compiler store a pointer in halves, and checking would slow down all stores
  // of floats.
  if (size <= 2 && is_last_of_word(address, size)) [[unlikely]]
    access_state.provenance->stored(address & ~std::uint64_t{7});
}

// Out of line, so that an access inside of a window does not save registers.

[[gnu::noinline]] static void judge_load(std::uint64_t address, std::uint64_t size,
                                         std::uintptr_t code) {
  if (judge(address, size, false, code)) loaded_from_device(address, size);
  forward_access(address, size, false, code);
}

[[gnu::noinline]] static void judge_store(std::uint64_t address, std::uint64_t size,
                                          std::uintptr_t code) {
  if (judge(address, size, true, code)) stored_to_device(address, size);
  forward_access(address, size, true, code);
}

[[gnu::always_inline]] static inline void on_load(std::uint64_t address, std::uint64_t size,
                                                  std::uintptr_t code) {
  const Known known = look_up(address, size);
  if (known == Known::nothing) [[unlikely]]
    return judge_load(address, size, code);
  if (known == Known::device) loaded_from_device(address, size);
  forward_access(address, size, false, code);
}

[[gnu::always_inline]] static inline void on_store(std::uint64_t address, std::uint64_t size,
                                                   std::uintptr_t code) {
  const Known known = look_up(address, size);
  if (known == Known::nothing) [[unlikely]]
    return judge_store(address, size, code);
  if (known == Known::device) stored_to_device(address, size);
  forward_access(address, size, true, code);
}

/// A memcpy or memmove in a kernel. Returns when both sides are allowed, and the shadow is copied.
static void on_copy(std::uint64_t target, std::uint64_t source, std::uint64_t size,
                    std::uintptr_t code) {
  if (size == 0) return;
  on_load(source, size, code);
  if (in_device(target, size, true, code)) {
    if (access_state.footprint != nullptr) note_use(target, size, AccessMode::write);
    access_state.provenance->stored_copy(target, source, size);
  }
  forward_access(target, size, true, code);
}

void check_load(std::uint64_t address, std::uint64_t size, std::uintptr_t code) {
  on_load(address, size, code);
}

void check_store(std::uint64_t address, std::uint64_t size, std::uintptr_t code) {
  on_store(address, size, code);
}

void check_atomic(std::uint64_t address, std::uint64_t size, std::uintptr_t code) {
  if (in_device(address, size, true, code)) {
    if (access_state.footprint != nullptr) note_use(address, size, AccessMode::atomic);
    if (size >= 8) {
      loaded(address, size);
      stored(address, size);
    }
  }
  if constexpr (kAsan) forward_access(address, size, true, code);
}

// ---- sites of translated kernels ----------------------------------------------------------------

/// A range that holds all bytes, for sites whose uses are not recorded.
static KernelRange all_uses{0, ~std::uint64_t{0}};

static const Window* device_window(std::uint64_t address, std::uint64_t size) {
  for (const Window& block : access_state.blocks)
    if (block.holds(address, size)) return &block;
  return nullptr;
}

/// Stores in the site the range that it may access without a call. A translated store marks the
/// shadow itself, which works only if the shadow of the range is in one piece.
static void tell_site(KernelSite& site, std::uint64_t address, std::uint64_t size,
                      AccessMode mode) {
  const AccessState& state = access_state;
  const Window* window = state.sites != nullptr ? device_window(address, size) : nullptr;
  if (window == nullptr) return;
  if (mode == AccessMode::write &&
      !state.provenance->shadow().are_in_one_piece({window->low, window->low + window->bytes}))
    return;
  if (site.count == 0) state.sites->push_back(&site);
  site = {window->low, window->bytes - size + 1,
          state.footprint != nullptr ? &state.footprint->add(address, size, mode) : &all_uses};
}

}  // namespace harness::devices

// ---- the callbacks -----------------------------------------------------------------------------

namespace devices = harness::devices;

#define AFTERLIFE_CALLBACKS(bytes)                                       \
  extern "C" void __prov_load##bytes##_noabort(std::uint64_t address) {  \
    devices::on_load(address, bytes, AFTERLIFE_CODE);                    \
  }                                                                      \
  extern "C" void __prov_store##bytes##_noabort(std::uint64_t address) { \
    devices::on_store(address, bytes, AFTERLIFE_CODE);                   \
  }
AFTERLIFE_CALLBACKS(1)
AFTERLIFE_CALLBACKS(2)
AFTERLIFE_CALLBACKS(4)
AFTERLIFE_CALLBACKS(8)
AFTERLIFE_CALLBACKS(16)
#undef AFTERLIFE_CALLBACKS

extern "C" {

void __prov_loadN_noabort(std::uint64_t address, std::uint64_t bytes) {
  devices::on_load(address, bytes, AFTERLIFE_CODE);
}

void __prov_storeN_noabort(std::uint64_t address, std::uint64_t bytes) {
  devices::on_store(address, bytes, AFTERLIFE_CODE);
}

/// The calls of translated kernels.
void afterlife_load_at(std::uint64_t address, std::uint64_t bytes, harness::KernelSite* site) {
  devices::on_load(address, bytes, AFTERLIFE_CODE);
  devices::tell_site(*site, address, bytes, devices::AccessMode::read);
}

void afterlife_store_at(std::uint64_t address, std::uint64_t bytes, harness::KernelSite* site) {
  devices::on_store(address, bytes, AFTERLIFE_CODE);
  devices::tell_site(*site, address, bytes, devices::AccessMode::write);
}

void* __prov_memcpy(void* target, const void* source, std::size_t bytes) {
  devices::on_copy(reinterpret_cast<std::uint64_t>(target), reinterpret_cast<std::uint64_t>(source),
                   bytes, AFTERLIFE_CODE);
  return std::memmove(target, source, bytes);  // memmove(), because assigning a struct to itself is
                                               // a memcpy() with equal addresses.
}

void* __prov_memmove(void* target, const void* source, std::size_t bytes) {
  devices::on_copy(reinterpret_cast<std::uint64_t>(target), reinterpret_cast<std::uint64_t>(source),
                   bytes, AFTERLIFE_CODE);
  return std::memmove(target, source, bytes);
}

void* __prov_memset(void* target, int value, std::size_t bytes) {
  if (bytes != 0) devices::on_store(reinterpret_cast<std::uint64_t>(target), bytes, AFTERLIFE_CODE);
  return std::memset(target, value, bytes);
}

}  // extern "C"
