// SPDX-License-Identifier: Apache-2.0
// How it works. Each row of cuda.def becomes one extern "C" function, which makes a SeamCall. Its
// enter() does everything before the device's function (announce, offer the turn, inject an error,
// record), its leave() everything after it. A call that meets a fatal fault never leaves. No
// exception leaves a call, because callers are C.
//
// The site of objects that a call creates or ends is the target's function, if one is named; else
// the CUDA function.
#include "harness/driver/cuda/cuda.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/core/heap/interpreter.h"
#include "harness/driver/cuda/call_frame.h"
#include "harness/driver/cuda/failed_call.h"
#include "harness/driver/cuda/kernels_begun.h"
#include "harness/driver/cuda/launch_count.h"
#include "harness/driver/cuda/older_forms.h"
#include "harness/driver/cuda/passed.h"
#include "harness/driver/cuda/process.h"
#include "harness/driver/device.h"

namespace harness {

namespace {

/// A row without its types.
struct CallInfo {
  Label base;
  CallNeeds needs;
  CUresult failure;
};

void* (*find_other_entry_point)(const char* base) = nullptr;

/// Returns the error that a call returns in place of the exception in flight. Sizes are checked at
/// the entry, so the remaining exceptions are lack of memory, and resources that a program without
/// a world could not get. A thread that ends continues unwinding.
[[gnu::cold, gnu::noinline]] CUresult error_of_exception() {
  try {
    throw;
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::length_error&) {
    return CUDA_ERROR_INVALID_VALUE;
  } catch (const std::exception& exception) {
    if (World::current() == nullptr) std::fprintf(stderr, "afterlife: %s\n", exception.what());
    return CUDA_ERROR_UNKNOWN;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// Returns the first argument of a call as a word; 0 if it is not an address, a handle or a number.
constexpr std::uint64_t first_word() { return 0; }
template <class First, class... Others>
constexpr std::uint64_t first_word(const First& first, const Others&...) {
  if constexpr (std::is_pointer_v<First>)
    return reinterpret_cast<std::uint64_t>(first);
  else if constexpr (std::is_integral_v<First>)
    return static_cast<std::uint64_t>(first);
  else
    return 0;
}

// ---- one call ---------------------------------------------------------------------------------

/// Most functions are not inlined: hundreds of entry points would each have a copy, and compiling
/// these takes longer than the rest of this file.
class SeamCall {
 public:
  /// `frame` is that of the entry point.
  [[gnu::noinline]] SeamCall(const CallInfo& info, const void* frame)
      : info_(info), world_(World::current()) {
    if (world_ == nullptr) [[unlikely]]
      join_process(frame);
    table_ = &world_->device->table();
    if (world_->scheduler.site().empty()) site_.emplace(world_->scheduler, called());
  }
  [[gnu::noinline]] ~SeamCall() {
    without_gil_.end();
    site_.reset();
    if (process_ != nullptr) [[unlikely]]
      process_->end_call();
  }
  SeamCall(const SeamCall&) = delete;
  SeamCall& operator=(const SeamCall&) = delete;

  const DriverTable& table() const { return *table_; }

  // The access that a row announces.
  struct Turn {
    bool offered;
    bool is_of_stream;
    CUstream stream;
  };
  static Turn quiet() { return {false, false, nullptr}; }
  static Turn device() { return {true, false, nullptr}; }
  static Turn stream(CUstream stream) { return {true, true, stream}; }

  /// Does everything before the device's function. If it returns an error, the call returns that.
  [[gnu::noinline]] CUresult enter(Turn turn) {
    if (info_.needs == CallNeeds::nothing) return CUDA_SUCCESS;
    const Resource resource = resource_of(turn);
    if (process_ != nullptr && process_->leaves_out()) [[unlikely]]
      return kLeftOut;
    Scheduler& scheduler = world_->scheduler;
    if (Interpreter* python = world_->heap.interpreter(); python != nullptr) [[unlikely]]
      without_gil_.begin(*python);
    if (turn.offered) scheduler.turn({resource, AccessKind::write});
    event_ = world_->history.events().size();
    injected_before_ = world_->injected_failures;
    const Name object = resource == kDeviceResource ? 0 : resource;
    scheduler.note(EventKind::call, info_.base, object, CUDA_SUCCESS);
    if (info_.failure != CUDA_SUCCESS && can_fail() && world_->pick_failure(2) != 0)
      return info_.failure;
    return table_->admit != nullptr ? table_->admit(info_.needs) : CUDA_SUCCESS;
  }

  /// Adds the call and its arguments to a trail.
  [[gnu::cold, gnu::noinline]] void tell(Trail& trail,
                                         std::initializer_list<PassedArgument> arguments) {
    const Scheduler& scheduler = world_->scheduler;
    trail.add({.kind = Trail::Kind::call,
               .what = info_.base,
               .site = scheduler.site(),
               .activation = world_->picker.current().name});
    Passed(trail, *world_, *table_).tell(arguments);
  }

  /// `first`: the first argument, if it is an address or a handle.
  CUresult leave(CUresult status, std::uint64_t first = 0) {
    if (status != CUDA_SUCCESS && info_.needs != CallNeeds::nothing) [[unlikely]]
      return note_error(status, first);
    return status;
  }

 private:
  /// Returns the function that the caller called: this one, or a runtime function that calls it.
  Label called() const {
    const char* outer = process_ != nullptr ? ProcessWorld::outer_call().function : nullptr;
    return outer != nullptr ? Label::of(outer) : info_.base;
  }

  /// Returns the resource that a call touches; 0 if it announces none.
  Resource resource_of(Turn turn) const {
    if (!turn.offered) return 0;
    return turn.is_of_stream && table_->resource != nullptr ? table_->resource(turn.stream)
                                                            : kDeviceResource;
  }

  bool can_fail() const { return process_ == nullptr || ProcessWorld::outer_call().can_fail; }

  /// The internal status of a call that is left out. No CUDA error has this number.
  static constexpr auto kLeftOut = static_cast<CUresult>(1023);

  /// Notes an error. Returns the result of the call.
  [[gnu::cold, gnu::noinline]] CUresult note_error(CUresult status, std::uint64_t first) {
    if (status == kLeftOut) return CUDA_SUCCESS;
    if (process_ == nullptr) {
      world_->history.set_value(event_, status);
      return status;
    }
    without_gil_.end();
    site_.reset();
    const bool is_injected = world_->injected_failures != injected_before_;
    failed_call_argument = first;
    std::exchange(process_, nullptr)->end_failed_call(info_.base, status, is_injected);
    return status;
  }

  /// A frame begins with two words: the address of the caller's frame, and the return address.
  void join_process(const void* frame) {
    call_frame = reinterpret_cast<std::uintptr_t>(frame) + 2 * sizeof(void*);
    process_ = &ProcessWorld::get();
    process_->begin_call(info_.base);
    world_ = &process_->world();
  }

  const CallInfo& info_;
  World* world_;
  const DriverTable* table_;
  ProcessWorld* process_ = nullptr;
  std::optional<SiteScope> site_;  ///< Set if the caller has named no site.
  Interpreter::Call without_gil_;
  std::size_t event_ = 0;
  std::uint32_t injected_before_ = 0;  ///< Number of errors injected before this call.
};

}  // namespace

void serve_process(Device* (*make)(), void* (*find_other)(const char* base)) {
  ProcessWorld::serve(make);
  find_other_entry_point = find_other;
}

std::size_t calling_thread(const World& world) {
  return world.scheduler.in_task() ? raw(world.scheduler.current()) + std::size_t{1}
                                   : ProcessWorld::calling_thread();
}

}  // namespace harness

// ---- the entry points -------------------------------------------------------------------------

using harness::CallInfo;
using harness::CallNeeds;
using harness::first_word;
using harness::per_thread;
using harness::SeamCall;
using harness::stream_of;

// Visible in libcuda.so.1. The programs export nothing, so that their definitions stay private.
#pragma GCC visibility push(default)
extern "C" {

#define CUDA_UNPACKED(...) __VA_ARGS__
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult CUDAAPI name parameters try {                                                  \
    static constexpr CallInfo kInfo{base, CallNeeds::needs, failure};                     \
    SeamCall call(kInfo, __builtin_frame_address(0));                                     \
    const CUresult refused = call.enter(SeamCall::turn);                                  \
    if (harness::Trail::current() != nullptr) [[unlikely]]                                \
      call.tell(*harness::Trail::current(), {CUDA_UNPACKED arguments});                   \
    return call.leave(refused != CUDA_SUCCESS ? refused : call.table().name arguments,    \
                      first_word arguments);                                              \
  } catch (...) {                                                                         \
    return harness::error_of_exception();                                                 \
  }
#define CUDA_PTSZ(name, since, stream, parameters, arguments) \
  CUresult CUDAAPI name##_ptsz parameters {                   \
    stream = per_thread(stream);                              \
    return name arguments;                                    \
  }
#include "harness/driver/cuda/cuda.def"

#define CUDA_ALIAS(name, row, since, parameters, arguments)          \
  CUresult CUDAAPI afterlife_alias_##name parameters __asm__(#name); \
  CUresult CUDAAPI afterlife_alias_##name parameters { return row arguments; }
#define CUDA_ALIAS_PTSZ(name, since, stream, parameters, arguments)                 \
  CUresult CUDAAPI afterlife_alias_##name##_ptsz parameters __asm__(#name "_ptsz"); \
  CUresult CUDAAPI afterlife_alias_##name##_ptsz parameters {                       \
    stream = per_thread(stream);                                                    \
    return afterlife_alias_##name arguments;                                        \
  }
#include "harness/driver/cuda/aliases.def"

/// See harness/driver/cuda/launch_count.h.
unsigned long long afterlifeLaunchCount() { return harness::kernels_begun; }

/// See harness/driver/cuda/host_work.h.
int afterlifeLaunchHostWork(CUstream_st* stream, const char* name, AfterlifeHostWork function,
                            void* data, void (*release)(void*), const AfterlifeRange* ranges,
                            size_t range_count) try {
  static constexpr CallInfo kInfo{"afterlifeLaunchHostWork", CallNeeds::driver,
                                  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES};
  SeamCall call(kInfo, __builtin_frame_address(0));
  CUresult status = call.enter(SeamCall::stream(stream));
  const auto launch = call.table().launch_host_work;
  if (status == CUDA_SUCCESS && launch != nullptr)
    return call.leave(launch(stream, {name, function, data, release, ranges, range_count}));
  if (release != nullptr) release(data);
  return call.leave(status != CUDA_SUCCESS ? status : CUDA_ERROR_NOT_SUPPORTED);
} catch (...) {
  return harness::error_of_exception();
}

CUresult CUDAAPI cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                     cuuint64_t flags, CUdriverProcAddressQueryResult* found) {
  constexpr cuuint64_t kFlags =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (symbol == nullptr || function == nullptr || (flags & ~kFlags) != 0 || version > CUDA_VERSION)
    return CUDA_ERROR_INVALID_VALUE;
  bool known = false;
  const bool per_thread_default = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *function = harness::find_entry_point(symbol, version, per_thread_default, known);
  if (found != nullptr)
    *found = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
             : known              ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                  : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

/// The first version of cuGetProcAddress, whose name cuda.h gives to the second.
CUresult CUDAAPI afterlife_get_proc_address(const char* symbol, void** function, int version,
                                            cuuint64_t flags) __asm__("cuGetProcAddress");
CUresult CUDAAPI afterlife_get_proc_address(const char* symbol, void** function, int version,
                                            cuuint64_t flags) {
  const CUresult status = cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
  return status == CUDA_SUCCESS && *function == nullptr ? CUDA_ERROR_NOT_FOUND : status;
}

}  // extern "C"
#pragma GCC visibility pop

// ---- looking up entry points ------------------------------------------------------------------

namespace harness {

namespace {

enum class Flavour : std::uint8_t { plain, per_thread };

struct EntryPoint {
  const char* name;
  const char* base;
  int since;
  Flavour flavour;
  void* function;
};

/// For the twins, whose rows only know the full name: the base of "cuMemcpyHtoDAsync_v2" is the
/// part before "_v".
bool names_base(const char* full, const char* base) {
  const std::size_t bytes = std::strlen(base);
  return std::strncmp(full, base, bytes) == 0 &&
         (full[bytes] == '\0' || std::strncmp(full + bytes, "_v", 2) == 0);
}

/// Returns the version from which on the base's name means a row. Before CUDA 12,
/// cuGraphInstantiate was an older function, with other parameters than
/// cuGraphInstantiateWithFlags.
constexpr int since_of_base(std::string_view name, std::string_view base, int since) {
  const bool has_own_name = name != base && name.find('_') == std::string_view::npos;
  return has_own_name ? std::max(since, 12000) : since;
}

const EntryPoint kEntryPoints[] = {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  {#name, base, since_of_base(#name, base, since), Flavour::flavour,                      \
   reinterpret_cast<void*>(&::name)},
#include "harness/driver/cuda/cuda.def"
#define CUDA_PTSZ(name, since, stream, parameters, arguments) \
  {#name "_ptsz", #name, since, Flavour::per_thread, reinterpret_cast<void*>(&::name##_ptsz)},
#include "harness/driver/cuda/cuda.def"
#define CUDA_ALIAS(name, row, since, parameters, arguments) \
  {#name, #name, since, Flavour::plain, reinterpret_cast<void*>(&::afterlife_alias_##name)},
#define CUDA_ALIAS_PTSZ(name, since, stream, parameters, arguments) \
  {#name "_ptsz", #name, since, Flavour::per_thread,                \
   reinterpret_cast<void*>(&::afterlife_alias_##name##_ptsz)},
#include "harness/driver/cuda/aliases.def"
    // The name without a suffix belongs to it only from CUDA 12 on.
    {"cuGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags", 11040, Flavour::plain,
     reinterpret_cast<void*>(&::cuGraphInstantiateWithFlags)},
    {AFTERLIFE_LAUNCH_COUNT, AFTERLIFE_LAUNCH_COUNT, 0, Flavour::plain,
     reinterpret_cast<void*>(&::afterlifeLaunchCount)},
    {AFTERLIFE_LAUNCH_HOST_WORK, AFTERLIFE_LAUNCH_HOST_WORK, 0, Flavour::plain,
     reinterpret_cast<void*>(&::afterlifeLaunchHostWork)},
    {"cuGetProcAddress", "cuGetProcAddress", 11030, Flavour::plain,
     reinterpret_cast<void*>(&::afterlife_get_proc_address)},
    {"cuGetProcAddress_v2", "cuGetProcAddress", 12000, Flavour::plain,
     reinterpret_cast<void*>(&::cuGetProcAddress_v2)},
};

}  // namespace

void* find_entry_point(const char* base, int version, bool per_thread_default_stream, bool& known) {
  known = false;
  const EntryPoint* best = nullptr;
  for (const EntryPoint& entry : kEntryPoints) {
    if (!names_base(entry.base, base)) continue;
    if (entry.flavour == Flavour::per_thread && !per_thread_default_stream) continue;
    known = true;
    if (entry.since > version) continue;
    const bool better = best == nullptr || entry.flavour > best->flavour ||
                        (entry.flavour == best->flavour && entry.since >= best->since);
    if (better) best = &entry;
  }
  if (!known && find_other_entry_point != nullptr) {
    void* other = find_other_entry_point(base);
    known = other != nullptr;
    return other;
  }
  return best != nullptr ? best->function : nullptr;
}

}  // namespace harness
