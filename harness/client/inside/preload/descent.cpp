// SPDX-License-Identifier: Apache-2.0
// Descent: counts the processes that this one starts, so that each has a name that is the same in
// each run.
//
// How it works. pthread_atfork() notices forks. A new program finds its name in an environment
// variable, whether it was started by fork() and exec or by vfork(); the child of a vfork() is
// still in its parent's memory, and is recognized by its process id. The variable contains the
// process id for which it is meant, so that a process that was started unnoticed (such as by
// system(3)) does not use its parent's name.
#include "harness/client/inside/libcuda/ipc/descent.h"

#include <alloca.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/client/inside/preload/loaded_first.h"

using harness::entries::Descent;
using harness::entries::system_function;

extern "C" {
__attribute__((visibility("default"))) Descent afterlife_descent;
}

namespace {

constexpr const char* kVariable = "AFTERLIFE_PROCESS=";
constexpr size_t kVariableBytes = 18;
constexpr size_t kTextBytes = Descent::kPathBytes + 64;
constexpr int kForAnybody = 0;

/// Called before the process ends by _exit(), which runs no exit handlers.
void (*ending)() = nullptr;

bool is_counted() { return afterlife_descent.path[0] != '\0'; }

void append(char* path, unsigned number) {
  const size_t length = strlen(path);
  snprintf(path + length, Descent::kPathBytes - length, ".%u", number);
}

/// Process ids are padded, so that addresses after the environment do not depend on them.
void tell(char* text, const char* path, pid_t process) {
  snprintf(text, kTextBytes, "%s%s@%010d", kVariable, path, process);
}

void before_fork() { ++afterlife_descent.started; }

void in_child() {
  append(afterlife_descent.path, afterlife_descent.started);
  afterlife_descent.started = 0;
  afterlife_descent.process = getpid();
}

__attribute__((constructor)) void begin() {
  if (getenv("AFTERLIFE_RUN") == nullptr) return;
  const char* told = getenv("AFTERLIFE_PROCESS");
  afterlife_descent.process = getpid();
  strcpy(afterlife_descent.path, "1");
  if (told != nullptr) {
    const char* end = strchr(told, '@');
    const size_t length = end != nullptr ? static_cast<size_t>(end - told) : strlen(told);
    if (length < Descent::kPathBytes - 16) {
      memcpy(afterlife_descent.path, told, length);
      afterlife_descent.path[length] = '\0';
    }
    const int meant = end != nullptr ? atoi(end + 1) : kForAnybody;
    if (meant != kForAnybody && meant != getpid()) strcat(afterlife_descent.path, ".0");
  }
  static char text[kTextBytes];
  tell(text, afterlife_descent.path, getpid());
  putenv(text);
  pthread_atfork(before_fork, nullptr, in_child);
}

/// Writes the name of the program that the calling process is about to execute. The caller may be
/// the child of a vfork().
void tell_becoming(char* text) {
  if (getpid() == afterlife_descent.process) return tell(text, afterlife_descent.path, getpid());
  char path[Descent::kPathBytes];
  strcpy(path, afterlife_descent.path);
  append(path, ++afterlife_descent.started);
  tell(text, path, getpid());
}

size_t count_of(char* const* words) {
  size_t count = 0;
  while (words != nullptr && words[count] != nullptr) ++count;
  return count;
}

/// Fills in the environment, with the name added.
void replace(char** filled, char* const* environment, char* text) {
  size_t count = 0;
  filled[count++] = text;
  for (char* const* one = environment; one != nullptr && *one != nullptr; ++one)
    if (strncmp(*one, kVariable, kVariableBytes) != 0) filled[count++] = *one;
  filled[count] = nullptr;
}

// Uses the stack, because the child of a vfork() must not allocate.
#define AFTERLIFE_WITH_NAME(environment, tells)                                       \
  char* with_name[2];                                                                 \
  char text[kTextBytes];                                                              \
  char** named = with_name;                                                           \
  if (is_counted()) {                                                                 \
    tells;                                                                            \
    named = static_cast<char**>(alloca((count_of(environment) + 2) * sizeof(char*))); \
    replace(named, environment, text);                                                \
  }                                                                                   \
  char* const* const wanted = is_counted() ? named : environment

using ExecFunction = int (*)(const char*, char* const*, char* const*);

int become(const char* name, const char* file, char* const* words, char* const* environment) {
  const auto system = system_function<ExecFunction>(name);
  AFTERLIFE_WITH_NAME(environment, tell_becoming(text));
  return system(file, words, wanted);
}

void tell_started(char* text) {
  char path[Descent::kPathBytes];
  strcpy(path, afterlife_descent.path);
  append(path, ++afterlife_descent.started);
  tell(text, path, kForAnybody);
}

using SpawnFunction = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                              const posix_spawnattr_t*, char* const*, char* const*);

int start(const char* name, pid_t* process, const char* file,
          const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
          char* const* words, char* const* environment) {
  const auto system = system_function<SpawnFunction>(name);
  AFTERLIFE_WITH_NAME(environment, tell_started(text));
  return system(process, file, actions, attributes, words, wanted);
}

}  // namespace

AFTERLIFE_EXPORT void afterlife_tell_ending(void (*told)()) { ending = told; }

AFTERLIFE_EXPORT int execve(const char* file, char* const* words, char* const* environment) {
  return become("execve", file, words, environment);
}
AFTERLIFE_EXPORT int execvpe(const char* file, char* const* words, char* const* environment) {
  return become("execvpe", file, words, environment);
}
AFTERLIFE_EXPORT int execv(const char* file, char* const* words) {
  return become("execve", file, words, environ);
}
AFTERLIFE_EXPORT int execvp(const char* file, char* const* words) {
  return become("execvpe", file, words, environ);
}

#define AFTERLIFE_LISTED(first, has_environment, function)                           \
  va_list list;                                                                      \
  va_start(list, first);                                                             \
  size_t count = 1;                                                                  \
  while (va_arg(list, char*) != nullptr) ++count;                                    \
  va_end(list);                                                                      \
  auto** words = static_cast<char**>(alloca((count + 1) * sizeof(char*)));           \
  va_start(list, first);                                                             \
  words[0] = const_cast<char*>(first);                                               \
  for (size_t i = 1; i <= count; ++i) words[i] = va_arg(list, char*);                \
  char* const* environment = has_environment ? va_arg(list, char* const*) : environ; \
  va_end(list);                                                                      \
  return become(function, file, words, environment)

AFTERLIFE_EXPORT int execl(const char* file, const char* first, ...) {
  AFTERLIFE_LISTED(first, false, "execve");
}
AFTERLIFE_EXPORT int execlp(const char* file, const char* first, ...) {
  AFTERLIFE_LISTED(first, false, "execvpe");
}
AFTERLIFE_EXPORT int execle(const char* file, const char* first, ...) {
  AFTERLIFE_LISTED(first, true, "execve");
}

AFTERLIFE_EXPORT int posix_spawn(pid_t* process, const char* file,
                                 const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const* words,
                                 char* const* environment) {
  return start("posix_spawn", process, file, actions, attributes, words, environment);
}
AFTERLIFE_EXPORT int posix_spawnp(pid_t* process, const char* file,
                                  const posix_spawn_file_actions_t* actions,
                                  const posix_spawnattr_t* attributes, char* const* words,
                                  char* const* environment) {
  return start("posix_spawnp", process, file, actions, attributes, words, environment);
}

AFTERLIFE_EXPORT void _exit(int code) {
  if (ending != nullptr && getpid() == afterlife_descent.process) ending();
  system_function<void (*)(int)>("_exit")(code);
  __builtin_unreachable();
}
AFTERLIFE_EXPORT void _Exit(int code) { _exit(code); }
