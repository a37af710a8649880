// SPDX-License-Identifier: Apache-2.0
// Programs of several threads in C++ that wait with time limits. They know nothing of us.
//
// Usage: client_limited PART [fixed]. The parts of the first list free a buffer when a limit has
// passed, while it may be in use; if it is fixed, they wait for its last use first. Those of the
// second list have no such mistake. Those of the third list fail in another way than a correct
// program may.
#include <poll.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <deque>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "harness/client/tests/clients/racing.h"

namespace {

using namespace racing;  // NOLINT(google-build-using-namespace): the program is one.
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Returns the time of the system's clock that is this long from now.
timespec after(milliseconds rest) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += rest.count() / 1000;
  now.tv_nsec += rest.count() % 1000 * 1'000'000;
  if (now.tv_nsec >= 1'000'000'000) ++now.tv_sec, now.tv_nsec -= 1'000'000'000;
  return now;
}

/// A flag that a thread waits for, up to a limit.
class Flag {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    is_set_ = true;
    changed_.notify_all();
  }
  bool wait_for(milliseconds limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return is_set_; });
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
};

/// A thread that is joined with limits.
class Joined {
 public:
  explicit Joined(void (*act)(const void*), const void* argument) : act_(act), argument_(argument) {
    const auto begin = [](void* one) -> void* {
      const auto* joined = static_cast<Joined*>(one);
      return joined->act_(joined->argument_), nullptr;
    };
    expect(pthread_create(&thread_, nullptr, begin, this) == 0, "no thread");
  }
  bool join_for(milliseconds rest) const {
    const timespec limit = after(rest);
    return pthread_timedjoin_np(thread_, nullptr, &limit) == 0;
  }
  void join() const { pthread_join(thread_, nullptr); }

 private:
  void (*act_)(const void*);
  const void* argument_;
  pthread_t thread_{};
};

/// A buffer that another thread fills.
struct Transfer {
  CUstream stream = make_stream();
  CUdeviceptr buffer = allocate();
  void run() const {
    enter();
    use(buffer, stream);
    wait_for(stream);
  }
  static void run_one(const void* transfer) { static_cast<const Transfer*>(transfer)->run(); }
  /// Frees the buffer after a wait that was successful or not.
  void end(bool is_over) const {
    if (!is_over && fixed) wait_for(stream);
    free(buffer);
  }
};

// ---- mistakes -----------------------------------------------------------------------------------

void condition() {
  const Transfer transfer;
  Flag done;
  std::thread worker([&] { transfer.run(), done.set(); });
  const bool is_over = done.wait_for(seconds(5));
  if (fixed) worker.join();
  transfer.end(is_over);
  if (!fixed) worker.join();
}

void semaphore() {
  const Transfer transfer;
  sem_t done;
  sem_init(&done, 0, 0);
  std::thread worker([&] { transfer.run(), sem_post(&done); });
  const timespec limit = after(seconds(1));
  const bool is_over = sem_timedwait(&done, &limit) == 0;
  if (fixed) worker.join();
  transfer.end(is_over);
  if (!fixed) worker.join();
}

void piped() {
  const Transfer transfer;
  int ends[2] = {};
  expect(pipe(ends) == 0, "no pipe");
  std::thread worker([&] {
    transfer.run();
    expect(write(ends[1], "x", 1) == 1, "not written");
  });
  pollfd file{ends[0], POLLIN, 0};
  const bool is_over = poll(&file, 1, 2000) == 1;
  if (fixed) worker.join();
  transfer.end(is_over);
  if (!fixed) worker.join();
}

void joined() {
  const Transfer transfer;
  const Joined worker(Transfer::run_one, &transfer);
  bool is_over = worker.join_for(seconds(5));
  if (!is_over && fixed) worker.join(), is_over = true;
  transfer.end(is_over);
  if (!is_over) worker.join();
}

void promised() {
  const Transfer transfer;
  std::promise<void> promise;
  std::thread worker([&] { transfer.run(), promise.set_value(); });
  const bool is_over = promise.get_future().wait_for(seconds(30)) == std::future_status::ready;
  if (fixed) worker.join();
  transfer.end(is_over);
  if (!fixed) worker.join();
}

/// The driver sets the flag when the buffer was filled; another thread is idle.
void called_back() {
  const Transfer transfer;
  Flag done, over;
  std::thread idle([&] { over.wait(); });
  use(transfer.buffer, transfer.stream);
  CALL(
      cuLaunchHostFunc, transfer.stream, [](void* flag) { static_cast<Flag*>(flag)->set(); },
      &done);
  if (!done.wait_for(seconds(1)) && fixed) wait_for(transfer.stream);
  CALL(cuMemFreeAsync, transfer.buffer, nullptr);
  done.wait();
  over.set();
  idle.join();
}

/// A thread sleeps for as long as another one is thought to take.
void slept() {
  const Transfer transfer;
  std::thread worker([&] { transfer.run(); });
  std::this_thread::sleep_for(seconds(2));
  if (fixed) worker.join();
  transfer.end(true);
  if (!fixed) worker.join();
}

// ---- sound programs -----------------------------------------------------------------------------

/// A server polls its queue.
void server() {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<CUdeviceptr> queue;
  constexpr int kRequests = 4;
  std::thread client([&] {
    enter();
    for (int i = 0; i < kRequests; ++i) {
      const CUdeviceptr buffer = allocate();
      const std::lock_guard lock(mutex);
      queue.push_back(buffer);
      changed.notify_one();
    }
  });
  CUstream stream = make_stream();
  for (int served = 0; served < kRequests;) {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, milliseconds(500), [&] { return !queue.empty(); })) continue;
    const CUdeviceptr buffer = queue.front();
    queue.pop_front();
    lock.unlock();
    use(buffer, stream);
    wait_for(stream);
    free(buffer);
    ++served;
  }
  client.join();
}

/// A thread counts the seconds until it is stopped.
void heartbeat() {
  Flag stopped;
  std::atomic<int> beats = 0;
  std::thread heart([&] {
    while (!stopped.wait_for(seconds(1))) ++beats;
  });
  const Transfer transfer;
  for (int i = 0; i < 3; ++i) transfer.run();
  transfer.end(true);
  stopped.set();
  heart.join();
}

/// A thread ends the program if it takes too long.
void watchdog() {
  Flag done;
  std::thread dog([&] {
    if (!done.wait_for(seconds(10))) std::abort();
  });
  const Transfer transfer;
  for (int i = 0; i < 3; ++i) transfer.run();
  transfer.end(true);
  done.set();
  dog.join();
}

void joins() {
  const Transfer transfer;
  const Joined worker(Transfer::run_one, &transfer);
  while (!worker.join_for(milliseconds(300))) {
  }
  transfer.end(true);
}

/// A few attempts, then the program gives up with an exit code.
void gives_up() {
  const Transfer transfer;
  Flag done;
  std::thread worker([&] { transfer.run(), done.set(); });
  bool is_over = false;
  for (int limit = 1; !is_over && limit <= 4; limit *= 2) is_over = done.wait_for(seconds(limit));
  worker.join();
  transfer.end(true);
  if (!is_over) std::exit(7);
}

/// An uncaught exception.
void throws() {
  const Transfer transfer;
  Flag done;
  std::thread worker([&] { transfer.run(), done.set(); });
  const bool is_over = done.wait_for(seconds(5));
  worker.join();
  transfer.end(true);
  if (!is_over) throw std::runtime_error("too late");
}

/// Two heartbeats and a wait with a longer limit.
void several() {
  Flag stopped;
  const auto beat = [&](milliseconds period) {
    while (!stopped.wait_for(period)) {
    }
  };
  std::thread fast(beat, milliseconds(200)), slow(beat, seconds(1));
  const Transfer transfer;
  Flag done;
  std::thread worker([&] { transfer.run(), done.set(); });
  while (!done.wait_for(seconds(5))) {
  }
  transfer.end(true);
  stopped.set();
  worker.join(), fast.join(), slow.join();
}

// ---- other failures -----------------------------------------------------------------------------

void crashes() {
  const Transfer transfer;
  Flag done;
  std::thread worker([&] { transfer.run(), done.set(); });
  if (!done.wait_for(seconds(5))) std::raise(SIGSEGV);
  worker.join();
  transfer.end(true);
}

/// The worker holds a lock while it waits for an answer, which it gets only in time.
void deadlocks() {
  std::mutex mutex;
  Flag done, answer;
  std::thread worker([&] {
    const std::lock_guard lock(mutex);
    enter();
    wait_for(nullptr);
    done.set();
    answer.wait();
  });
  if (done.wait_for(seconds(5))) answer.set();
  {
    const std::lock_guard lock(mutex);
  }
  answer.set();
  worker.join();
}

struct Part {
  std::string_view name;
  void (*run)();
};

constexpr Part kParts[] = {
    {"condition", condition}, {"semaphore", semaphore}, {"piped", piped},
    {"joined", joined},       {"promised", promised},   {"called_back", called_back},
    {"slept", slept},

    {"server", server},       {"heartbeat", heartbeat}, {"watchdog", watchdog},
    {"joins", joins},         {"gives_up", gives_up},   {"throws", throws},
    {"several", several},

    {"crashes", crashes},     {"deadlocks", deadlocks}};

}  // namespace

int main(int count, char** arguments) { return racing::run(kParts, count, arguments); }
