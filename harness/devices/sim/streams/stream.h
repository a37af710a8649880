// SPDX-License-Identifier: Apache-2.0
// Stream: a queue of work that is passive until another, by a pick, lets it advance.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/devices/sim/handles.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/devices/sim/streams/work.h"
#include "harness/scheduler.h"

namespace harness::devices {

class SimDevice;
struct Capture;

/// Threads: to TSan it is one; see OnStream.
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
  std::uint64_t id = 0;  ///< Unique for the life of the program.
  bool legacy = false;   ///< The one that blocking streams and it wait for each other.
  bool blocking = true;  ///< Waits for, and holds up, the legacy stream.

  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::vector<Work*> queue;  ///< From `head` on. The last queued() of what was submitted.
  std::size_t head = 0;
  std::uint16_t engine = kNoEngine;
  bool ready = false;                   ///< Known to the scheduler as one that can advance.
  bool calling = false;                 ///< A host function of it runs.
  Capture* capture = nullptr;           ///< The capture that makes nodes of its work.
  std::vector<CUgraphNode> told_nodes;  ///< The nodes that cuStreamGetCaptureInfo points at.
  std::vector<CUgraphEdgeData> told_data;
  LineIndex line = kNoLine;
  Clock clock;  ///< All that the next piece of work comes after, by the program.

  static constexpr std::uint16_t kNoEngine = 0xffff;

  // For TSan: addresses that stand for "work was submitted" and "work was done", and its thread.
  char submit_edge = 0;
  char done_edge = 0;
  void* tsan_fiber = nullptr;
};

inline bool done(const StreamPoint& point) {
  return point.stream == nullptr || point.stream->reached(point.seq);
}

/// While it lives, TSan takes the calling thread for the stream. Without TSan, nothing.
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
