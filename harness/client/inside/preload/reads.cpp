// SPDX-License-Identifier: Apache-2.0
// Reads: preloaded in further runs of a finding that does not repeat. It records where the
// program's machine code reads a clock, random numbers, its process id or the network, or holds
// such a kind of read constant.
//
// How it works. AFTERLIFE_READS and AFTERLIFE_HELD are those of world_reads/sitecustomize.py, which
// does the same for Python. Reads by system libraries, the interpreter and our libraries are left
// alone, except those that the C++ library makes for the program. This library is in each process
// of the program, including shells, so it depends on the C library only.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>

#include "harness/client/inside/preload/loaded_first.h"

namespace {

using harness::entries::is_of_python;
using harness::entries::is_system_library;
using harness::entries::native_code;
using harness::entries::NativeCode;
using harness::entries::system_function;

constexpr long kMillisecond = 1'000'000;

const char* notes = nullptr;  ///< The file for recorded reads; or null.
bool holds_clock = false;
bool holds_chance = false;
char our_folder[4096];
std::atomic<long> looks{0};
std::atomic<unsigned> draws{0};

bool holds(const char* kind) {
  const char* held = getenv("AFTERLIFE_HELD");
  return held != nullptr && strstr(held, kind) != nullptr;
}

/// Finds our folder, which is two levels above this library.
__attribute__((constructor)) void begin() {
  const NativeCode ours = native_code(reinterpret_cast<const void*>(&begin));
  if (ours.file != nullptr) snprintf(our_folder, sizeof our_folder, "%s", ours.file);
  for (int i = 0; i < 2; ++i)
    if (char* slash = strrchr(our_folder, '/'); slash != nullptr) *slash = '\0';
  holds_clock = holds("clock");
  holds_chance = holds("chance");
  notes = getenv("AFTERLIFE_READS");
}

/// Returns the code of the call with this return address.
NativeCode before(const void* returns_to) {
  return native_code(static_cast<const char*>(returns_to) - 1);
}

bool is_cpp_library(const NativeCode& code) {
  return strstr(code.file, "/libstdc++.so") != nullptr ||
         strstr(code.file, "/libc++.so") != nullptr;
}

bool is_users(const NativeCode& code) {
  const char* name = code.file;
  if (is_system_library(name)) return false;
  for (const char* folder : {"/bin/", "/usr/bin/", "/usr/sbin/"})
    if (strncmp(name, folder, strlen(folder)) == 0) return false;
  if (*our_folder != '\0' && strncmp(name, our_folder, strlen(our_folder)) == 0) return false;
  for (const char* part : {"/site-packages/", "/dist-packages/", "/lib-dynload/"})
    if (strstr(name, part) != nullptr) return false;
  return !is_of_python(code);
}

/// Returns the code that called the C++ library.
NativeCode caller_of_cpp_library(const void* code) {
  constexpr int kFrameLimit = 16;
  void* frames[kFrameLimit] = {};
  const int count = backtrace(frames, kFrameLimit);
  bool has_come = false;
  for (int i = 0; i < count; ++i) {
    has_come = has_come || frames[i] == code;
    const NativeCode frame = before(frames[i]);
    if (has_come && frame.file != nullptr && !is_cpp_library(frame)) return frame;
  }
  return {};
}

/// Returns the program's code that reads; without a module if the program does not read.
NativeCode users_code(const void* returns_to) {
  NativeCode code = before(returns_to);
  if (code.file != nullptr && is_cpp_library(code)) code = caller_of_cpp_library(returns_to);
  return code.file != nullptr && is_users(code) ? code : NativeCode{};
}

/// Returns whether the place is new. Later than the first few hundred, all count as known.
bool is_new(const NativeCode& code) {
  static std::atomic<std::uintptr_t> known[256];
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(code.base) + code.offset;
  for (std::atomic<std::uintptr_t>& one : known) {
    std::uintptr_t none = 0;
    if (one.load() == place) return false;
    if (one.compare_exchange_strong(none, place)) return true;
    if (none == place) return false;
  }
  return false;
}

/// Records a read by the program. Returns whether it is one.
bool read_by(const void* returns_to, const char* kind, const char* function) {
  if (notes == nullptr && !holds_clock && !holds_chance) return false;
  const NativeCode code = users_code(returns_to);
  if (code.file == nullptr || notes == nullptr || !is_new(code)) return code.file != nullptr;
  char line[5000];
  const int bytes = snprintf(line, sizeof line, "%s\t%s\t%s\t0\t%lu\n", kind, function, code.file,
                             static_cast<unsigned long>(code.offset));
  const int file = open(notes, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (bytes > 0 && file >= 0) (void)!write(file, line, static_cast<size_t>(bytes));
  if (file >= 0) close(file);
  return true;
}

/// Returns a time that is one millisecond later at each call.
timespec held_clock() {
  constexpr long kBegin = 1'700'000'000;
  constexpr long kLooksInSecond = 1000;
  const long look = ++looks;
  return {kBegin + look / kLooksInSecond, look % kLooksInSecond * kMillisecond};
}

void draw_held(void* buffer, size_t bytes) {
  constexpr unsigned kFactor = 1664525;  // The generator of Numerical Recipes.
  constexpr unsigned kIncrement = 1013904223;
  constexpr unsigned kTopByte = 24;
  for (size_t i = 0; i < bytes; ++i) {
    const unsigned drawn = draws = draws * kFactor + kIncrement;
    static_cast<unsigned char*>(buffer)[i] = static_cast<unsigned char>(drawn >> kTopByte);
  }
}

}  // namespace

#define AFTERLIFE_READ(kind, function) read_by(__builtin_return_address(0), kind, function)

AFTERLIFE_EXPORT int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto look = system_function<int (*)(clockid_t, timespec*)>("clock_gettime");
  const bool is_users = AFTERLIFE_READ("clock", "clock_gettime");
  if (!is_users || !holds_clock) return look(clock, now);
  *now = held_clock();
  return 0;
}

AFTERLIFE_EXPORT int gettimeofday(timeval* now, void* zone) noexcept {
  static const auto look = system_function<int (*)(timeval*, void*)>("gettimeofday");
  const bool is_users = AFTERLIFE_READ("clock", "gettimeofday");
  if (!is_users || !holds_clock) return look(now, zone);
  constexpr long kMicrosecond = 1000;
  const timespec held = held_clock();
  *now = {held.tv_sec, held.tv_nsec / kMicrosecond};
  return 0;
}

AFTERLIFE_EXPORT time_t time(time_t* now) noexcept {
  static const auto look = system_function<time_t (*)(time_t*)>("time");
  const bool is_users = AFTERLIFE_READ("clock", "time");
  if (!is_users || !holds_clock) return look(now);
  const time_t held = held_clock().tv_sec;
  if (now != nullptr) *now = held;
  return held;
}

AFTERLIFE_EXPORT ssize_t getrandom(void* buffer, size_t bytes, unsigned flags) {
  static const auto draw = system_function<ssize_t (*)(void*, size_t, unsigned)>("getrandom");
  const bool is_users = AFTERLIFE_READ("chance", "getrandom");
  if (!is_users || !holds_chance) return draw(buffer, bytes, flags);
  draw_held(buffer, bytes);
  return static_cast<ssize_t>(bytes);
}

AFTERLIFE_EXPORT int getentropy(void* buffer, size_t bytes) {
  static const auto draw = system_function<int (*)(void*, size_t)>("getentropy");
  const bool is_users = AFTERLIFE_READ("chance", "getentropy");
  if (!is_users || !holds_chance) return draw(buffer, bytes);
  draw_held(buffer, bytes);
  return 0;
}

AFTERLIFE_EXPORT pid_t getpid() noexcept {
  static const auto look = system_function<pid_t (*)()>("getpid");
  AFTERLIFE_READ("process", "getpid");
  return look();
}

AFTERLIFE_EXPORT int connect(int socket, const sockaddr* address, socklen_t bytes) {
  static const auto begin = system_function<int (*)(int, const sockaddr*, socklen_t)>("connect");
  AFTERLIFE_READ("network", "connect");
  return begin(socket, address, bytes);
}
