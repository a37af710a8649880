// SPDX-License-Identifier: Apache-2.0
// Stream: a queue of work. It is passive until a choice lets it advance.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/scheduler/scheduler.h"
#include "harness/devices/sim/handles.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/devices/sim/streams/work.h"

namespace harness::devices {

class SimDevice;
struct Capture;

/// Threads: TSan sees a stream as a thread; see OnStream.
class Stream final : public Engine, public Object {
 public:
  void reset();
  ~Stream() override;
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // ---- Engine ----
  Name name() const override { return own_name; }
  Label label() const override { return own_label; }
  Access pending() const override { return {resource, AccessKind::write}; }
  void advance() override;
  void poll() override;

  bool idle() const { return completed == submitted; }
  bool reached(std::uint64_t seq) const { return completed >= seq; }
  Work& front() const { return *queue[head]; }
  std::uint64_t queued() const { return queue.size() - head; }

  SimDevice* device = nullptr;
  Context* context = nullptr;
  Name own_name = 0;
  Label own_label;
  Resource resource = 0;
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;  ///< Never reused while the program runs.
  bool legacy = false;   ///< The legacy stream: blocking streams and it wait for each other.
  bool blocking = true;  ///< Waits for the legacy stream, and makes it wait.

  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::vector<Work*> queue;  ///< Queued work, from `head` on: the last queued() pieces that were
                             ///< submitted.
  std::size_t head = 0;
  std::uint16_t engine = kNoEngine;
  bool ready = false;                       ///< Whether the scheduler knows that it can advance.
  bool calling = false;                     ///< Whether one of its host functions is running.
  Capture* capture = nullptr;               ///< The capture that converts its work to nodes.
  std::vector<CUgraphNode> returned_nodes;  ///< The nodes that cuStreamGetCaptureInfo returned.
  std::vector<CUgraphEdgeData> returned_data;
  LineIndex line = kNoLine;
  Clock clock;  ///< Everything that precedes the next piece of work, by the program's order.

  static constexpr std::uint16_t kNoEngine = 0xffff;

  // For TSan: addresses that represent "work was submitted" and "work was done", and its thread.
  char submit_edge = 0;
  char done_edge = 0;
  void* tsan_fiber = nullptr;
};

inline bool done(const StreamPoint& point) {
  return point.stream == nullptr || point.stream->reached(point.seq);
}

/// Makes TSan attribute the calling thread's accesses to the stream while it exists. No effect
/// without TSan.
class OnStream {
 public:
  explicit OnStream(Stream& stream);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  [[maybe_unused]] void* previous_ = nullptr;
};

}  // namespace harness::devices
