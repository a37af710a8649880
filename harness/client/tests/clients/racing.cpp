// SPDX-License-Identifier: Apache-2.0
// Programs of several threads in C++, each with a mistake that shows in few of their schedules.
// They know nothing of us.
//
// Usage: client_racing MISTAKE [fixed]. If it is fixed, no schedule shows anything.
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "harness/client/tests/clients/racing.h"

namespace {

using namespace racing;  // NOLINT(google-build-using-namespace): the program is one.

// ---- mistakes with the driver -----------------------------------------------------------------

/// A buffer is handed to another thread as soon as what fills it is queued.
void publication() {
  CUstream stream = make_stream();
  const CUdeviceptr buffer = allocate();
  std::mutex mutex;
  bool is_queued = false;
  std::condition_variable queued;
  std::thread copier([&] {
    enter();
    use(buffer, stream);
    if (fixed) wait_for(stream);
    {
      const std::lock_guard lock(mutex);
      is_queued = true;
    }
    queued.notify_one();
    wait_for(stream);
  });
  {
    std::unique_lock lock(mutex);
    queued.wait(lock, [&] { return is_queued; });
  }
  CUstream other = make_stream();
  use(buffer, other);
  wait_for(other);
  copier.join();
  free(buffer);
}

/// A worker is told to stop, and not waited for, before its buffer goes.
void stop_token() {
  CUstream stream = make_stream();
  const CUdeviceptr buffer = allocate();
  std::jthread worker([&](std::stop_token stop) {
    enter();
    for (int i = 0; i < 3 && !stop.stop_requested(); ++i) use(buffer, stream);
  });
  worker.request_stop();
  if (fixed) worker.join();
  free(buffer);
}

/// A host function drops what may be the last reference while another one is being taken.
struct Shared {
  CUdeviceptr buffer = allocate();
  std::mutex mutex;
  int count = 1;
  bool is_freed = false;
  void drop() {
    const std::lock_guard lock(mutex);
    if (--count == 0) is_freed = true;
  }
  void take() {
    const std::lock_guard lock(mutex);
    ++count;
  }
};

void reference() {
  CUstream stream = make_stream();
  auto* shared = new Shared;
  std::latch begun(1);
  if (fixed) shared->take();
  std::thread taker([&] {
    enter();
    begun.count_down();
    if (!fixed) shared->take();
    expect(!shared->is_freed, "a reference to what is gone");
  });
  begun.wait();
  CALL(cuLaunchHostFunc, stream, [](void* one) { static_cast<Shared*>(one)->drop(); }, shared);
  wait_for(stream);
  taker.join();
}

/// A thread_local's destructor gives memory back to a pool that may be gone.
struct Pool {
  bool is_open = true;
};
Pool* pool = nullptr;
struct Cache {
  CUdeviceptr buffer = 0;
  ~Cache() {
    if (buffer == 0) return;
    expect(pool->is_open, "the pool is closed");
    free(buffer);
  }
};
thread_local Cache cache;

void local_destructor() {
  pool = new Pool;
  std::latch done(1);
  std::thread worker([&] {
    enter();
    cache.buffer = allocate();
    done.count_down();
  });
  done.wait();
  if (fixed) worker.join();
  pool->is_open = false;
  if (!fixed) worker.join();
}

/// The table of readers is swapped, and the old one freed beside them.
void swapped() {
  CUstream stream = make_stream();
  std::shared_mutex mutex;
  CUdeviceptr present = allocate();
  std::thread reader([&] {
    enter();
    CUdeviceptr seen = 0;
    {
      const std::shared_lock lock(mutex);
      seen = present;
      if (fixed) use(seen, stream), wait_for(stream);
    }
    if (!fixed) use(seen, stream), wait_for(stream);
  });
  CUdeviceptr old = allocate();
  {
    const std::unique_lock lock(mutex);
    std::swap(old, present);
  }
  free(old);
  reader.join();
}

/// A sleep is taken for an order.
void asleep() {
  CUstream stream = make_stream();
  const CUdeviceptr buffer = allocate();
  std::thread worker([&] {
    enter();
    use(buffer, stream);
    wait_for(stream);
  });
  if (fixed) worker.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  free(buffer);
  if (!fixed) worker.join();
}

// ---- mistakes of threads alone ----------------------------------------------------------------

/// A wake-up comes between the look and the wait.
void lost_wakeup() {
  std::mutex mutex;
  std::condition_variable ready;
  std::atomic<bool> is_ready = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    while (!is_ready) ready.wait(lock);
  });
  if (fixed) mutex.lock();
  is_ready = true;
  if (fixed) mutex.unlock();
  ready.notify_one();
  waiter.join();
}

/// An `if` instead of a `while`: who was woken finds nothing.
void condition() {
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<int> queue;
  const auto consume = [&] {
    std::unique_lock lock(mutex);
    if (fixed)
      filled.wait(lock, [&] { return !queue.empty(); });
    else if (queue.empty())
      filled.wait(lock);
    expect(!queue.empty(), "nothing is in the queue");
    queue.pop_front();
  };
  std::thread one(consume), other(consume);
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard lock(mutex);
    queue.push_back(i);
    filled.notify_all();
  }
  one.join(), other.join();
}

/// One is woken where all must be.
void notified_one() {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_closed = false;
  const auto serve = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_closed; });
  };
  std::thread one(serve), other(serve);
  {
    const std::lock_guard lock(mutex);
    is_closed = true;
  }
  if (fixed) changed.notify_all();
  changed.notify_one();
  one.join(), other.join();
}

/// Two locks in two orders.
void two_locks() {
  std::mutex left, right;
  std::thread other([&] {
    const std::scoped_lock lock(fixed ? left : right);
    const std::scoped_lock both(fixed ? right : left);
  });
  {
    const std::scoped_lock lock(left);
    const std::scoped_lock both(right);
  }
  other.join();
}

/// "Made" is set before it is.
void checked_twice() {
  std::once_flag once;
  std::mutex mutex;
  std::atomic<bool> is_made = false;
  std::unique_ptr<int> made;
  const auto get = [&] {
    if (fixed) return std::call_once(once, [&] { made = std::make_unique<int>(7); });
    if (is_made) return;
    const std::lock_guard lock(mutex);
    if (is_made.exchange(true)) return;
    enter();
    made = std::make_unique<int>(7);
  };
  std::thread other([&] { get(), expect(made != nullptr, "it is not made yet"); });
  get();
  expect(made != nullptr, "it is not made yet");
  other.join();
}

/// A node that was popped comes back between the look and the exchange.
void aba() {
  struct Node {
    Node* next = nullptr;
    std::atomic<int> users = 0;
  };
  std::array<Node, 3> nodes;
  std::mutex guard;
  std::atomic<Node*> head = nullptr;
  const auto push = [&](Node* node) {
    node->next = head;
    while (!head.compare_exchange_weak(node->next, node)) {
    }
  };
  const auto pop = [&]() -> Node* {
    std::optional<std::lock_guard<std::mutex>> lock;
    if (fixed) lock.emplace(guard);
    for (;;) {
      Node* top = head;
      if (top == nullptr) return nullptr;
      Node* next = top->next;
      enter();
      if (head.compare_exchange_strong(top, next)) return top;
    }
  };
  for (Node& node : nodes) push(&node);
  const auto work = [&] {
    Node* first = pop();
    Node* second = pop();
    for (Node* node : {first, second})
      if (node != nullptr) expect(++node->users == 1, "a node has two users");
    if (first == nullptr) return;
    --first->users;  // The second one is kept.
    std::optional<std::lock_guard<std::mutex>> lock;
    if (fixed) lock.emplace(guard);
    push(first);
  };
  std::thread other(work);
  work();
  other.join();
}

/// The latch opens before the value is there.
void latched() {
  std::latch latch(1);
  std::unique_ptr<int> value;
  std::thread reader([&] {
    latch.wait();
    expect(value != nullptr, "no value yet");
  });
  if (fixed) value = std::make_unique<int>(1);
  latch.count_down();
  if (!fixed) value = std::make_unique<int>(1);
  reader.join();
}

/// A semaphore counts what is not in the queue yet.
void posted_first() {
  std::counting_semaphore<> items(0);
  std::mutex mutex;
  std::deque<int> queue;
  std::thread consumer([&] {
    items.acquire();
    const std::lock_guard lock(mutex);
    expect(!queue.empty(), "nothing is in the queue");
  });
  if (!fixed) items.release();
  {
    const std::lock_guard lock(mutex);
    queue.push_back(1);
  }
  if (fixed) items.release();
  consumer.join();
}

/// The flag that something waits for is set before its data.
void flag_first() {
  std::atomic<int> flag = 0;
  std::vector<int> data;
  std::thread reader([&] {
    flag.wait(0);
    expect(data.size() == 3, "the data is not there yet");
  });
  if (fixed) data = {1, 2, 3};
  flag = 1;
  flag.notify_all();
  if (!fixed) data = {1, 2, 3};
  reader.join();
}

/// Each may read its neighbour's part of the next phase.
void one_barrier() {
  std::array<std::atomic<int>, 2> parts{};
  std::barrier barrier(2);
  const auto work = [&](std::size_t me) {
    for (int phase = 1; phase < 3; ++phase) {
      parts[me] = phase;
      barrier.arrive_and_wait();
      expect(parts[1 - me] == phase, "the part of another phase");
      std::this_thread::yield();
      if (fixed) barrier.arrive_and_wait();
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
}

/// It is looked at under one lock, and changed under another.
void upgraded() {
  std::shared_mutex mutex;
  std::unique_ptr<int> made;
  int made_count = 0;
  const auto get = [&] {
    {
      const std::shared_lock lock(mutex);
      if (made != nullptr) return;
    }
    const std::unique_lock lock(mutex);
    if (fixed && made != nullptr) return;
    made = std::make_unique<int>(++made_count);
  };
  std::thread one(get), other(get);
  one.join(), other.join();
  expect(made_count == 1, "it was made twice");
}

/// A task uses what its caller had.
void task() {
  std::promise<void> begun;
  auto value = std::make_unique<int>(1);
  std::future<void> begins = begun.get_future();
  std::future<void> over = std::async(std::launch::async, [&] {
    begun.set_value();
    expect(value != nullptr, "the value is gone");
  });
  begins.wait();
  if (fixed) over.wait();
  value.reset();
  over.wait();
}

struct Mistake {
  std::string_view name;
  void (*run)();
};

constexpr Mistake kMistakes[] = {{"publication", publication},
                                 {"stop_token", stop_token},
                                 {"reference", reference},
                                 {"local_destructor", local_destructor},
                                 {"swapped", swapped},
                                 {"asleep", asleep},
                                 {"lost_wakeup", lost_wakeup},
                                 {"condition", condition},
                                 {"notified_one", notified_one},
                                 {"two_locks", two_locks},
                                 {"checked_twice", checked_twice},
                                 {"aba", aba},
                                 {"latched", latched},
                                 {"posted_first", posted_first},
                                 {"flag_first", flag_first},
                                 {"one_barrier", one_barrier},
                                 {"upgraded", upgraded},
                                 {"task", task}};

}  // namespace

int main(int count, char** arguments) { return racing::run(kMistakes, count, arguments); }
