// SPDX-License-Identifier: Apache-2.0
// WorkQueues: work that was submitted to streams: where it is in the queues, and when it continues.
//
// Work is done at submission unless a pick says that it stays queued; then its stream is an engine
// of the scheduler, and advances by one block of a kernel or one other piece of work at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "harness/devices/sim/streams/stream.h"
#include "harness/devices/sim/streams/work.h"
#include "harness/devices/sim/streams/work_order.h"

namespace harness::devices {

class SimDevice;

/// When work may stay queued.
enum class Lag : std::uint8_t {
  ask,    ///< A pick says.
  never,  ///< Only when what it depends on does.
};

/// Ownership: owns all work, and keeps its storage from run to run.
class WorkQueues {
 public:
  explicit WorkQueues(SimDevice& sim) : sim_(sim) {}
  void begin();

  // ---- submission ----

  Work& fresh(WorkKind kind, Label label);
  /// Takes back work that was not submitted: the call found an error after all.
  void discard(Work& work) { spare_.push_back(&work); }
  /// Submits the work, which is then done, or queued.
  StreamPoint submit(Stream& stream, Work& work, Lag lag);
  /// Returns the place that the next thing done on a stream has among all work.
  OrderPoint next_point(Stream& stream);
  /// Orders what is next submitted to the stream after what the host has waited for, and after what
  /// the default stream or blocking ones were reported.
  void catch_up(Stream& stream);
  /// Returns what a repair puts in order.
  WorkOrder& order() { return order_; }

  // ---- progress ----

  /// Takes the first piece of work of a stream further.
  void advance(Stream& stream);
  /// Looks whether waits on memory are over, if there are any.
  void look_again() {
    if (memory_wait_count_ != 0) settle();
  }
  /// Passes over all that takes no time, and tells the scheduler which streams can advance.
  void settle();
  /// Ends the first piece of work of a stream.
  void complete_front(Stream& stream);
  /// Ends the life of a block, at once or when no stream has work left. Nothing is judged for using
  /// it until then.
  void release_when_idle(std::uint32_t block);
  /// Ends the work of a node.
  void finish_part(Stream& stream, Work& work);

  /// Returns whether there is work that nothing has done yet.
  bool lags() const { return !busy_.empty(); }
  /// Returns whether functions of the program are among it.
  bool waits_for_program() const;
  /// A query has found work under way. Of a program that has no tasks the device takes a step: it
  /// may well ask again until the work is done.
  void was_polled();

  // ---- waiting ----

  void wait(const StreamPoint& point);
  /// Waits for all work that was submitted to this one stream.
  void drain(Stream& stream);
  /// Waits for all work that was submitted to the stream, and to those that it waits for.
  void synchronize(Stream& stream);
  void synchronize(Context& context);
  static bool idle(const Stream& stream);
  /// Returns whether the host knows all work of the context to be done.
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
  std::size_t memory_wait_count_ = 0;  ///< Number of queued works with memory operations.
  std::vector<std::unique_ptr<Work>> works_;
  std::vector<Work*> spare_;
  std::vector<Stream*> busy_;           ///< Streams with queued work.
  std::vector<std::uint32_t> leaving_;  ///< Blocks to release when there are none.
  WorkOrder order_;
};

}  // namespace harness::devices
