// SPDX-License-Identifier: Apache-2.0
// Instrumented programs whose threads are ordered, each in another way. No run shows anything.
//
// Usage: client_ordered WAY.
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <deque>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/client/tests/clients/racing.h"

namespace {

using namespace racing;  // NOLINT(google-build-using-namespace): the program is one.

/// Runs a function on some threads, and this one.
template <class Function>
void together(int count, Function function) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) threads.emplace_back(function);
  function();
  for (std::thread& thread : threads) thread.join();
}

void spin_lock() {
  std::atomic_flag is_locked;
  int count = 0;
  together(2, [&] {
    for (int i = 0; i < 3; ++i) {
      while (is_locked.test_and_set(std::memory_order_acquire)) {
      }
      ++count;
      is_locked.clear(std::memory_order_release);
    }
  });
  expect(count == 9, "an update is lost");
}

void publication() {
  int data = 0;
  std::atomic<bool> is_ready{false};
  std::thread producer([&] {
    data = 42;
    is_ready.store(true, std::memory_order_release);
  });
  while (!is_ready.load(std::memory_order_acquire)) {
  }
  expect(data == 42, "unpublished");
  producer.join();
}

void fences() {
  int data = 0;
  std::atomic<bool> is_ready{false};
  std::thread producer([&] {
    data = 42;
    std::atomic_thread_fence(std::memory_order_release);
    is_ready.store(true, std::memory_order_relaxed);
  });
  while (!is_ready.load(std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  expect(data == 42, "unpublished");
  producer.join();
}

void sequence_lock() {
  std::atomic<unsigned> sequence{0};
  std::atomic<int> low{0}, high{0};
  std::thread writer([&] {
    for (int i = 1; i < 4; ++i) {
      sequence.fetch_add(1, std::memory_order_acq_rel);
      low.store(i, std::memory_order_release);
      high.store(i, std::memory_order_release);
      sequence.fetch_add(1, std::memory_order_acq_rel);
    }
  });
  for (int i = 0; i < 3; ++i) {
    unsigned before = 0;
    int first = 0, second = 0;
    do {
      before = sequence.load(std::memory_order_acquire);
      first = low.load(std::memory_order_acquire);
      second = high.load(std::memory_order_acquire);
    } while (before % 2 != 0 || sequence.load(std::memory_order_acquire) != before);
    expect(first == second, "torn");
  }
  writer.join();
}

void mutex() {
  std::mutex mutex;
  int count = 0;
  together(2, [&] {
    for (int i = 0; i < 3; ++i) {
      const std::lock_guard lock(mutex);
      ++count;
    }
  });
  expect(count == 9, "an update is lost");
}

void shared_mutex() {
  std::shared_mutex mutex;
  int value = 0;
  std::thread writer([&] {
    const std::unique_lock lock(mutex);
    value = 1;
  });
  together(1, [&] {
    const std::shared_lock lock(mutex);
    expect(value == 0 || value == 1, "torn");
  });
  writer.join();
}

void queue() {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> queue;
  std::thread producer([&] {
    for (int i = 0; i < 3; ++i) {
      const std::lock_guard lock(mutex);
      queue.push_back("a text that is too long to be in the object itself");
      changed.notify_one();
    }
  });
  std::size_t bytes = 0;
  for (int i = 0; i < 3; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !queue.empty(); });
    bytes += queue.front().size();
    queue.pop_front();
  }
  expect(bytes == 150, "lost");
  producer.join();
}

/// Threads that run tasks, whose results are futures.
class Pool {
 public:
  Pool() {
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  std::future<int> submit(int value) {
    std::packaged_task<int()> task([value] { return value * value; });
    std::future<int> result = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return result;
  }

 private:
  void serve() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_over_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::packaged_task<int()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<int()>> tasks_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

void pool() {
  Pool pool;
  std::vector<std::future<int>> results;
  for (int i = 0; i < 3; ++i) results.push_back(pool.submit(i));
  int sum = 0;
  for (std::future<int>& one : results) sum += one.get();
  expect(sum == 5, "wrong");
}

void latch_and_barrier() {
  std::latch latch(3);
  std::barrier barrier(3);
  int values[3] = {};
  std::atomic<int> next{0};
  together(2, [&] {
    const int me = next.fetch_add(1, std::memory_order_relaxed);
    values[me] = 1;
    latch.arrive_and_wait();
    const int sum = values[0] + values[1] + values[2];
    barrier.arrive_and_wait();
    values[me] = sum;
    barrier.arrive_and_wait();
    expect(values[0] + values[1] + values[2] == 9, "unordered");
  });
}

void semaphore() {
  std::counting_semaphore<4> filled(0);
  int data = 0;
  std::thread producer([&] {
    data = 42;
    filled.release();
  });
  filled.acquire();
  expect(data == 42, "unpublished");
  producer.join();
}

int made_once() {
  static const std::vector<int> kMade(3, 7);
  return kMade[1];
}

void once() {
  std::once_flag flag;
  int value = 0;
  together(2, [&] {
    std::call_once(flag, [&] { value = 7; });
    expect(value == made_once(), "half made");
  });
}

void reference_counts() {
  auto shared = std::make_shared<std::string>("a text that is too long to be in the object");
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([mine = shared] { expect(mine->size() == 43, "gone"); });
  shared.reset();
  for (std::thread& thread : threads) thread.join();
}

/// A function that the driver calls, and what it was given.
void host_function() {
  CUstream stream = make_stream();
  int value = 1;
  CALL(cuLaunchHostFunc, stream, [](void* given) { ++*static_cast<int*>(given); }, &value);
  std::thread other([] {});
  wait_for(stream);
  expect(value == 2, "not called");
  other.join();
}

/// Each thread's stack is likely to be where the one before it had its.
void stacks() {
  for (int i = 0; i < 3; ++i) {
    std::atomic<bool> is_over{false};
    std::thread([&] {
      int values[16] = {};
      for (int& value : values) ++value;
      is_over.store(true, std::memory_order_relaxed);
    }).detach();
    while (!is_over.load(std::memory_order_relaxed)) {
    }
  }
}

struct Part {
  std::string_view name;
  void (*run)();
};

constexpr Part kParts[] = {{"spin_lock", spin_lock},
                           {"publication", publication},
                           {"fences", fences},
                           {"sequence_lock", sequence_lock},
                           {"mutex", mutex},
                           {"shared_mutex", shared_mutex},
                           {"queue", queue},
                           {"pool", pool},
                           {"latch_and_barrier", latch_and_barrier},
                           {"semaphore", semaphore},
                           {"once", once},
                           {"reference_counts", reference_counts},
                           {"host_function", host_function},
                           {"stacks", stacks}};

}  // namespace

int main(int count, char** arguments) { return racing::run(kParts, count, arguments); }
