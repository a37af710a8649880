// SPDX-License-Identifier: Apache-2.0
// Server: answers requests from buffers in device memory, which other threads replace concurrently.
//
// The smallest path, to be copied (harness/docs/how-to/recipes.md). A request gets its buffer when
// it is prepared, is launched later, and the device reads the buffer later still. Policies differ
// in what keeps the buffer alive until then.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/driver/runtime.h"

namespace targets::example {

inline constexpr std::uint32_t kKeyCount = 2;
inline constexpr std::uint32_t kWords = 8;  ///< Length of a buffer, and of an answer.

enum class RequestId : std::uint32_t {};
using BufferId = harness::BirthId;
using Words = std::array<std::int32_t, kWords>;

struct Buffer {
  CUdeviceptr memory = 0;
  std::uint32_t holder_count = 0;
};

/// A kernel launch, from its preparation to its completion.
struct Request {
  RequestId id;
  harness::Borrowed<Buffer> buffer;  ///< A raw pointer in the real system.
};

/// Receives events as facts. Every call is made under the server's lock, except answered().
class Observer {
 public:
  virtual ~Observer() = default;
  /// `worker` has filled `buffer`, which is now current for `key`.
  virtual void placed(std::uint32_t worker, std::uint32_t key, BufferId buffer) = 0;
  virtual void prepared(RequestId request, BufferId buffer) = 0;
  virtual void launched(RequestId request) = 0;
  virtual void answered(RequestId request, const Words& words) = 0;
};

/// A way to keep a buffer alive for a request. Threads: called under the server's lock.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Notes a request that has just got its buffer.
  virtual void prepared(const Request& request) = 0;
  /// Notes that the device has finished a request.
  virtual void finished(const Request& request) = 0;
  /// Returns whether a replaced buffer may be freed.
  virtual bool may_free(const Buffer& buffer) const = 0;
};

struct Setup {
  Observer* observer = nullptr;
  std::uint32_t worker_count = 2;
  bool shares_stream = false;  ///< All workers use the first one's stream.
};

/// Ownership: owns the buffers and, as long as the process runs, the context, module, streams and
/// answers. Threads: any worker may put; one worker asks and waits. Errors: false if a CUDA call
/// failed.
class Server {
 public:
  Server(harness::Runtime& runtime, const Setup& setup, Policy& policy);

  /// Creates everything that outlives the buffers.
  bool open();
  /// Makes the context current in the calling thread.
  bool enter();
  /// Fills a new buffer with value, value + 1, ... and replaces the one under `key`.
  bool put(std::uint32_t worker, std::uint32_t key, std::int32_t value);
  /// Launches a kernel that adds 1 to each word under `key`, and does not wait for it.
  bool ask(std::uint32_t key);
  /// Waits for all requests and reports the answers.
  bool wait();
  /// Waits, then removes the buffer from every key.
  bool clear();

 private:
  static constexpr std::uint32_t kRequestLimit = 16;  ///< Maximum number of outstanding requests.

  CUstream stream(std::uint32_t worker) const { return streams_[shares_stream_ ? 0 : worker]; }
  CUdeviceptr answer(RequestId request) const;
  harness::Owned<Buffer> fill(std::uint32_t worker, std::int32_t value);
  Request prepare(std::uint32_t key);
  bool launch(const Request& request);
  bool finish(const Request& request);
  bool free_replaced(std::uint32_t worker);

  harness::Runtime& runtime_;
  Observer& observer_;
  Policy& policy_;
  bool shares_stream_;
  harness::Mutex mutex_;  ///< Guards the buffers and the policy's state.
  CUcontext context_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr answers_ = 0;  ///< One answer per outstanding request.
  std::pmr::vector<CUstream> streams_;
  std::array<harness::Owned<Buffer>, kKeyCount> buffers_;  ///< One per key.
  std::pmr::vector<harness::Owned<Buffer>> replaced_;      ///< Not freed yet.
  std::pmr::vector<Request> requests_;                     ///< Launched, but not yet
                                                           ///< answered.
  std::uint32_t request_count_ = 0;
};

/// A policy, by name. `make` creates a server that uses it.
struct NamedPolicy {
  harness::Label name;
  Server* (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const NamedPolicy> policies();

}  // namespace targets::example
