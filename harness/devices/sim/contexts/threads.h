// Threads: records that the driver keeps for each thread: its contexts, its capture mode, its
// streams.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <vector>

namespace harness::devices {

struct Context;
class SimDevice;
class Stream;

/// Ownership: owns the records, and keeps their storage from run to run.
class Threads {
 public:
  explicit Threads(SimDevice& sim) : sim_(sim) {}
  void begin() { thread_count_ = 0; }

  /// Returns the contexts of the calling thread, the current one last.
  std::vector<Context*>& stack() { return thread().stack; }
  /// Returns the current context of the calling thread, or null.
  Context* context();
  CUstreamCaptureMode& capture_mode() { return thread().capture_mode; }
  /// Returns the default stream that the calling thread has of its own in `context`.
  Stream& stream(Context& context);

 private:
  struct Thread {
    std::vector<Context*> stack;
    CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
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

}  // namespace harness::devices
