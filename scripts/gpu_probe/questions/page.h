// SPDX-License-Identifier: Apache-2.0
// Page: what a row says, in memory that the parent still has when the child is gone.
#pragma once

#include <cuda.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

struct Page {
  std::atomic_flag busy;
  char answer[6000], detail[12000], step[200];
  bool failed;
  std::atomic<int> stage;
  CUipcMemHandle memory[4096];
  CUipcEventHandle event[2];
  unsigned long long words[64];
};
inline Page* page;  // The row's that is asked.

inline void append(char* to, size_t size, const char* between, const char* format, va_list list) {
  while (page->busy.test_and_set()) usleep(10);
  size_t n = strlen(to);
  if (n && n + 3 < size) n += static_cast<size_t>(snprintf(to + n, size - n, "%s", between));
  if (n < size) vsnprintf(to + n, size - n, format, list);
  page->busy.clear();
}
__attribute__((format(printf, 1, 2))) inline void answer(const char* f, ...) {
  va_list l;
  va_start(l, f);
  append(page->answer, sizeof page->answer, "; ", f, l);
  va_end(l);
}
__attribute__((format(printf, 1, 2))) inline void detail(const char* f, ...) {
  va_list l;
  va_start(l, f);
  append(page->detail, sizeof page->detail, "; ", f, l);
  va_end(l);
}
__attribute__((format(printf, 1, 2))) inline std::string text(const char* f, ...) {
  char b[1000];
  va_list l;
  va_start(l, f);
  vsnprintf(b, sizeof b, f, l);
  va_end(l);
  return b;
}

using Clock = std::chrono::steady_clock;
inline double ms(Clock::time_point from, Clock::time_point to = Clock::now()) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}
inline void nap(double milliseconds) { usleep(static_cast<useconds_t>(milliseconds * 1000)); }
inline long tid() { return syscall(SYS_gettid); }
