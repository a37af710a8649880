// SPDX-License-Identifier: Apache-2.0
// Programs of several threads in C++ that do what cannot be held, let time pass, fork, or have the
// driver wake a thread. They know nothing of us.
//
// Usage: client_turning PART [fixed].
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/client/tests/clients/racing.h"

namespace {

using namespace racing;  // NOLINT(google-build-using-namespace): the program is one.

/// Frees twice, so that there is something to find.
void free_twice() {
  const CUdeviceptr buffer = allocate();
  free(buffer);
  free(buffer);
}

/// A thread spins for another one.
void spinning() {
  std::atomic<int> begun = 0;
  std::thread other([&] { begun = 1; });
  while (begun == 0) {
  }
  other.join();
  free_twice();
}

/// The same by a futex that the C library does not know of.
void unseen() {
  std::atomic<int> begun = 0;
  const auto call = [&](long operation, long value) {
    long result = SYS_futex;
    register long limit __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(&begun), "S"(operation), "d"(value), "r"(limit)
                     : "rcx", "r11", "memory");
  };
  std::thread other([&] {
    begun = 1;
    call(FUTEX_WAKE_PRIVATE, 1);
  });
  while (begun == 0) call(FUTEX_WAIT_PRIVATE, 0);
  other.join();
  free_twice();
}

/// An hour passes in the order of its moments.
void sleepy() {
  using std::chrono::minutes;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::vector<int> order;
  std::mutex mutex;
  std::condition_variable never;
  const auto add = [&](int one) {
    const std::lock_guard lock(mutex);
    order.push_back(one);
  };
  std::thread late([&] { std::this_thread::sleep_for(minutes(60)), add(3); });
  std::thread soon([&] { std::this_thread::sleep_for(minutes(20)), add(1); });
  {
    std::unique_lock lock(mutex);
    expect(never.wait_until(lock, begin + minutes(40)) == std::cv_status::timeout, "no timeout");
    order.push_back(2);
  }
  late.join(), soon.join();
  expect(order == std::vector{1, 2, 3}, "another order");
  expect(Clock::now() - begin >= minutes(60), "no hour has passed");
  while (Clock::now() - begin < minutes(60) + std::chrono::seconds(1)) {
  }
}

/// A child of fork() continues with the thread that forked alone, and without the driver.
void forking() {
  std::mutex mutex;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) {
      const std::lock_guard lock(mutex);
      enter();
    }
  });
  if (const pid_t child = fork(); child == 0) {
    std::thread([] { enter(); }).join();
    _exit(0);
  } else {
    int status = 0;
    expect(waitpid(child, &status, 0) == child && status == 0, "the child did not end well");
  }
  other.join();
  free_twice();
}

sem_t posted;

// With optimization, each ends with a jump to the C library, which then returns to the driver.
void post(void*) { sem_post(&posted); }
void post_from_stream(CUstream, CUresult, void*) { sem_post(&posted); }
void notify(void* changed) { static_cast<std::condition_variable*>(changed)->notify_one(); }

/// Functions that the driver calls wake threads in their last call.
void jumping() {
  sem_init(&posted, 0, 0);
  CUstream stream = make_stream();
  constexpr int kCount = 4;
  std::thread waiter([] {
    for (int i = 0; i < kCount; ++i) sem_wait(&posted);
  });
  CUuserObject object = nullptr;
  CALL(cuUserObjectCreate, &object, nullptr, post, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  CALL(cuLaunchHostFunc, stream, post, nullptr);
  CALL(cuUserObjectRelease, object, 1);
  CALL(cuStreamAddCallback, stream, post_from_stream, nullptr, 0);
  CALL(cuLaunchHostFunc, stream, post, nullptr);
  waiter.join();
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  CALL(cuLaunchHostFunc, stream, notify, &changed);
  changed.wait_for(lock, std::chrono::hours(1));
  wait_for(stream);
}

/// A wait is given up after a short time, while the other thread still uses the memory.
void given_up() {
  constexpr std::chrono::milliseconds kShort{50};
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  CUstream stream = make_stream();
  const CUdeviceptr buffer = allocate();
  std::thread worker([&] {
    enter();
    use(buffer, stream);
    wait_for(stream);
    const std::lock_guard lock(mutex);
    is_done = true;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    while (!is_done)
      if (changed.wait_for(lock, kShort) == std::cv_status::timeout && !fixed) break;
  }
  free(buffer);
  worker.join();
}

/// A thread begins before the first call of the driver, in a program with a CUDA runtime.
int begin_early() {
  expect(dlopen("libcudart.so.13", RTLD_NOW) != nullptr, "no runtime");
  sem_t freed;
  sem_init(&freed, 0, 0);
  sem_init(&posted, 0, 0);
  CUdeviceptr buffer = 0;
  std::thread early([&] {
    sem_wait(&posted);
    enter();
    free(buffer);
    sem_post(&freed);
  });
  CALL(cuInit, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  enter();
  buffer = allocate();
  sem_post(&posted);
  sem_wait(&freed);
  free(buffer);
  early.join();
  return 0;
}

struct Part {
  std::string_view name;
  void (*run)();
};

constexpr Part kParts[] = {{"spinning", spinning}, {"unseen", unseen},   {"sleepy", sleepy},
                           {"forking", forking},   {"jumping", jumping}, {"given_up", given_up}};

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string_view(arguments[1]) == "early") return begin_early();
  return racing::run(kParts, count, arguments);
}
