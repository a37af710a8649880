// SPDX-License-Identifier: Apache-2.0
// WorkQueues: submitted work of streams: its position in the queues, and when it continues.
//
// Work is done at its submission unless a choice leaves it queued. Its stream is then an engine of
// the scheduler, and advances by one block of a kernel or one other piece of work at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "harness/devices/sim/streams/stream.h"
#include "harness/devices/sim/streams/work.h"
#include "harness/devices/sim/streams/work_order.h"

namespace harness::devices {

class SimDevice;

/// Whether work may stay queued.
enum class Lag : std::uint8_t {
  ask,    ///< A choice decides.
  never,  ///< Only if its dependencies do.
};

/// Ownership: owns all work, and keeps its storage from run to run.
class WorkQueues {
 public:
  explicit WorkQueues(SimDevice& sim) : sim_(sim) {}
  void begin();

  // ---- submission ----

  Work& fresh(WorkKind kind, Label label);
  /// Takes back work that was not submitted, because the call has found an error.
  void discard(Work& work) { spare_.push_back(&work); }
  /// Submits work, which is either executed immediately or queued.
  StreamPoint submit(Stream& stream, Work& work, Lag lag);
  /// Returns the position of the next work on a stream.
  OrderPoint next_point(Stream& stream);
  /// Orders the next work of the stream after the work that the host knows to be done, and after
  /// earlier work of the default stream or of blocking ones.
  void catch_up(Stream& stream);
  /// Returns the work that a repair orders.
  WorkOrder& order() { return order_; }

  // ---- progress ----

  /// Advances the first piece of work of a stream.
  void advance(Stream& stream);
  /// Checks whether waits on memory are over, if there are any.
  void look_again() {
    if (memory_wait_count_ != 0) settle();
  }
  /// Completes all work that takes no time, and informs the scheduler which streams can advance.
  void settle();
  /// Completes the first piece of work of a stream.
  void complete_front(Stream& stream);
  /// Ends the lifetime of a block, at once or when all streams are idle. Uses until then are valid.
  void release_when_idle(std::uint32_t block);
  /// Completes the work of a node.
  void finish_part(Stream& stream, Work& work);

  /// Returns whether any work is queued.
  bool lags() const { return !busy_.empty(); }
  /// Returns whether queued work includes functions of the program.
  bool waits_for_program() const;
  /// Notes that a query has found unfinished work. For a program without tasks, the device makes a
  /// step, because the program may poll until the work is done.
  void was_polled();

  // ---- waiting ----

  void wait(const StreamPoint& point);
  /// Waits for all work of this stream.
  void drain(Stream& stream);
  /// Waits for all work of the stream, and of those that it waits for.
  void synchronize(Stream& stream);
  void synchronize(Context& context);
  static bool idle(const Stream& stream);
  /// Returns whether the host knows that all work of the context is done.
  bool knows_done(const Context& context);

 private:
  static void depend(Stream& stream, Work& work);
  bool run_now(Stream& stream, Work& work, Lag lag);
  bool run_graph_now(Stream& stream, Work& work, std::uint32_t stay);
  void enqueue(Stream& stream, Work& work);
  void finish(Stream& stream, Work& work);
  bool pass_marker(Stream& stream);
  bool pass_graph(Stream& stream, Work& work);
  void set_ready(Stream& stream, bool ready);
  void release(std::uint32_t block);
  void wait_for_others(const StreamPoint& point);

  SimDevice& sim_;
  std::size_t memory_wait_count_ = 0;  ///< Number of queued pieces of work with memory operations.
  std::vector<std::unique_ptr<Work>> works_;
  std::vector<Work*> spare_;
  std::vector<Stream*> busy_;           ///< Streams with queued work.
  std::vector<std::uint32_t> leaving_;  ///< Blocks to release when all streams are idle.
  WorkOrder order_;
};

}  // namespace harness::devices
