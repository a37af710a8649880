// SPDX-License-Identifier: Apache-2.0
// Preload: loaded before all libraries of a program that `afterlife run` starts. It intercepts the
// C library's functions by which threads are started, and by which Python's threads wait.
//
// How it works. Each function first calls the driver's hooks. If there are none, or the thread
// takes no turns, it calls the system's function. The driver is loaded when Python, or a program
// with a CUDA runtime or with instrumentation, starts its first thread, so that no start is missed.
// This library is in each process of the program, including shells, so it depends on the C library
// only.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "harness/client/inside/libcuda/thread_hooks.h"
#include "harness/client/inside/preload/cuda_runtime.h"
#include "harness/client/inside/preload/loaded_first.h"
#include "harness/client/inside/preload/turns.h"
#include "harness/client/inside/preload/waiting.h"

namespace harness::entries {

const ThreadHooks* hooks = nullptr;

}  // namespace harness::entries

namespace {

using harness::entries::hooks;
using harness::entries::is_of_python;
using harness::entries::Moment;
using harness::entries::native_code;
using harness::entries::on_system;
using harness::entries::system_function;
using harness::entries::ThreadHooks;
using harness::entries::told;
using harness::entries::Woken;

/// Returns whether a program without Python contains a CUDA runtime, or is instrumented.
bool may_call_cuda() {
  return getenv("AFTERLIFE_RUN") != nullptr && dlsym(RTLD_DEFAULT, "Py_IsInitialized") == nullptr &&
         (harness::entries::has_cuda_runtime() || harness::entries::is_instrumented());
}

/// Loads the driver, which then passes its hooks.
void load_driver() {
  static bool is_tried = false;
  if (is_tried || getenv("AFTERLIFE_RUN") == nullptr) return;
  is_tried = true;
  dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
}

struct Start {
  void* (*function)(void*);
  void* argument;
  void* thread;
  const ThreadHooks* told;
};

void* run_thread(void* begun) {
  const Start start = *static_cast<Start*>(begun);
  free(begun);
  start.told->started(start.thread);
  return start.function(start.argument);
}

Woken ask_to_wait(sem_t* semaphore, const Moment* limit) {
  return hooks != nullptr ? hooks->waits(semaphore, limit) : Woken::unwatched;
}

}  // namespace

AFTERLIFE_EXPORT void afterlife_take_thread_hooks(const ThreadHooks* taken) {
  harness::entries::hooks = taken;
}

AFTERLIFE_EXPORT int afterlife_system_sem_clockwait(sem_t* semaphore, clockid_t clock,
                                                    const timespec* limit) {
  static const auto wait =
      system_function<int (*)(sem_t*, clockid_t, const timespec*)>("sem_clockwait");
  const timespec end = on_system(*limit);
  return wait(semaphore, clock, &end);
}

AFTERLIFE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                    void* (*function)(void*), void* argument) {
  static const auto create =
      system_function<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(
          "pthread_create");
  void* known = nullptr;
  const bool is_pythons = is_of_python(native_code(__builtin_return_address(0)));
  if (is_pythons || (hooks == nullptr && may_call_cuda())) load_driver();
  if (hooks != nullptr) known = hooks->starting(is_pythons);
  if (known == nullptr) return create(thread, attributes, function, argument);
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  if (start == nullptr) return hooks->not_started(known), EAGAIN;
  *start = {function, argument, known, hooks};
  const int status = create(thread, attributes, run_thread, start);
  if (status == 0) return hooks->is_started(known, *thread), 0;
  hooks->not_started(known);
  free(start);
  return status;
}

AFTERLIFE_EXPORT int sem_wait(sem_t* semaphore) {
  AFTERLIFE_TURN(take, semaphore, nullptr)
  static const auto wait = system_function<int (*)(sem_t*)>("sem_wait");
  const Woken woken = ask_to_wait(semaphore, nullptr);
  return woken == Woken::unwatched ? wait(semaphore) : told(woken);
}

AFTERLIFE_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* limit) {
  static const auto wait = system_function<int (*)(sem_t*, const timespec*)>("sem_timedwait");
  const Moment end{CLOCK_REALTIME, *limit};
  AFTERLIFE_TURN(take, semaphore, &end)
  const Woken woken = ask_to_wait(semaphore, &end);
  if (woken != Woken::unwatched) return told(woken);
  const timespec systems = on_system(*limit);
  return wait(semaphore, &systems);
}

AFTERLIFE_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* limit) {
  const Moment end{clock, *limit};
  AFTERLIFE_TURN(take, semaphore, &end)
  const Woken woken = ask_to_wait(semaphore, &end);
  return woken == Woken::unwatched ? afterlife_system_sem_clockwait(semaphore, clock, limit)
                                   : told(woken);
}
