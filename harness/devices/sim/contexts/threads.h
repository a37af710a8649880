// SPDX-License-Identifier: Apache-2.0
// Threads: the driver's records for each thread: its contexts, its capture mode, its streams.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace harness::devices {

struct Context;
class SimDevice;
class Stream;

/// The kind of function that the driver has called on a thread. Such functions must not call CUDA.
enum class Callback : std::uint8_t { none, host_function, destructor };

/// Ownership: owns the records, and keeps their storage from run to run.
class Threads {
 public:
  explicit Threads(SimDevice& sim) : sim_(sim) {}
  void begin() { thread_count_ = 0; }

  /// Returns the contexts of the calling thread, the current one last.
  std::vector<Context*>& stack() { return thread().stack; }
  /// The state of the calling thread that every call checks.
  struct Caller {
    Callback callback;  ///< The running function that the driver has called on it.
    Context* context;   ///< The current context, or null.
  };
  Caller caller();
  /// Returns the current context of the calling thread, or null.
  Context* context() { return caller().context; }
  /// Returns the running function that the driver has called on the calling thread.
  Callback& callback() { return thread().callback; }
  CUstreamCaptureMode& capture_mode() { return thread().capture_mode; }
  /// Returns the calling thread's own default stream in `context`.
  Stream& stream(Context& context);

 private:
  struct Thread {
    std::vector<Context*> stack;
    CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    Callback callback = Callback::none;
    struct Own {
      Context* context;
      Stream* stream;
    };
    std::vector<Own> streams;
  };

  Thread& thread();
  void add(std::size_t last);

  SimDevice& sim_;
  std::vector<Thread> threads_;
  std::size_t thread_count_ = 0;
};

/// Marks the calling thread as running a function that the driver has called.
class CallbackScope {
 public:
  CallbackScope(Threads& threads, Callback callback)
      : threads_(threads), outer_(std::exchange(threads.callback(), callback)) {}
  ~CallbackScope() { threads_.callback() = outer_; }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  Threads& threads_;
  Callback outer_;
};

}  // namespace harness::devices
