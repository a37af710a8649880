// SPDX-License-Identifier: Apache-2.0
// Task: one collective on one rank, from init to finalize, stage by stage.
//
// Each stage polls once; a stage that is complete enters the next one at once. Sites of events are
// named after UCC's functions.
#pragma once

#include "targets/alltoallv/task/copies.h"
#include "targets/alltoallv/task/own_entry.h"
#include "targets/alltoallv/task/slot_hold.h"
#include "targets/alltoallv/task/steps.h"

namespace targets::alltoallv {

enum class Stage : std::uint8_t {
  initialized,  ///< Not posted, or complete.
  sync,         ///< Waits for the slot.
  setup,        ///< Has published; waits for all ranks to do so.
  map,          ///< All ranks have published; maps their memory.
  post_copies,
  copy,        ///< Copies are in flight.
  steps,       ///< Ring and linear: waits for a neighbour.
  completion,  ///< In the completion barrier.
  third_barrier,
};

/// Synchronizes a task that is handed from thread to thread. In upstream the status does this,
/// which is written last and read first: the next thread sees all that was done to the task.
class Handover {
 public:
  void take() { harness::edge_acquire(this); }
  void give() { harness::edge_release(this); }
};

/// Ownership: in the run's arena. Holds its operands from init to finalize. Threads: the one that
/// popped it from the queue.
class Task {
 public:
  Task(Rank& rank, Request request, const Arguments& arguments);
  Task(const Task&) = delete;  // Its parts point at its post.
  Task& operator=(const Task&) = delete;

  // ---- from init to finalize ----
  /// Takes the next number of the team.
  void number();
  /// Takes the resources that every post needs; release() returns them.
  Status prepare();
  void release();
  /// Returns the resources that prepare() took before it failed.
  void give_back();
  CUdeviceptr destination() const { return operands_.destination(); }

  // ---- from post to the end ----
  /// `triggered`: the caller sets it up before it is queued.
  void start(bool triggered);
  /// Advances as far as possible. Returns true if the task made progress.
  bool advance();
  /// Returns whether the next poll would make progress. No preemption point: used only for waking.
  bool can_go_on() const;
  /// Returns a description of what the task waits for.
  harness::Label waits_for() const;
  /// Synchronizes with the thread that ended the task, and returns its status.
  Status take_over();

  Status status() const { return status_; }
  /// Returns whether it is in the queue, or was popped by a thread that has not ended it.
  bool queued() const { return queued_; }
  /// Returns whether its copies were submitted.
  bool is_set_up() const { return stage_ >= Stage::copy; }
  bool in_flight() const { return copies_.in_flight(); }
  void wait_for_copies() const { copies_.wait(); }

 private:
  bool step();
  bool enter(Stage next, Status status);
  bool fail(Stage next, Status status);
  bool is_triggered_set_up(Stage next) const {
    return post_.triggered && next <= Stage::post_copies;
  }
  bool go_on_anyway();
  Status agree();
  bool peer_failed();
  bool step_on();
  bool finish_copies();
  void start_barrier(Stage next);
  bool pass(Crossing crossing);
  bool pass_completion();
  bool proxy_failed();
  void end();
  void complete(Status status);
  ShmBarrier& barrier() { return post_.shared_slot().barrier; }

  Core& core_;
  std::uint32_t rank_;
  Post post_;
  Operands operands_;
  Mappings mappings_;
  Copies copies_;
  OwnEntry own_entry_;
  SlotHold slot_hold_;
  Steps steps_;
  harness::Activation activation_;  ///< Activation of choices made for the task.
  Stage stage_ = Stage::initialized;
  Status status_ = Status::ok;
  Status error_ = Status::ok;  ///< joins_after_error: final status.
  bool queued_ = false;
  Handover handover_;
};

}  // namespace targets::alltoallv
