// SPDX-License-Identifier: Apache-2.0
// Task: one collective on one rank, from init to finalize, stage by stage.
//
// Each stage polls once and returns; what is there is taken at once to the next. Sites of what
// happens are named after UCC's functions.
#pragma once

#include "targets/alltoallv/task/copies.h"
#include "targets/alltoallv/task/own_entry.h"
#include "targets/alltoallv/task/slot_hold.h"
#include "targets/alltoallv/task/steps.h"

namespace targets::alltoallv {

enum class Stage : std::uint8_t {
  initialized,  ///< Not posted, or complete.
  sync,         ///< Waits for the slot.
  setup,        ///< Published; waits for all to have done so.
  map,          ///< All have published; now their memory is mapped.
  post_copies,
  copy,        ///< Copies are in flight.
  steps,       ///< Ring and linear: waits for a neighbour.
  completion,  ///< In the completion barrier.
  third_barrier,
};

/// Hands a task from thread to thread. Upstream's is the status, which is written last and read
/// first: code that has the task knows what was done to it before.
class Handover {
 public:
  void take() { harness::edge_acquire(this); }
  void give() { harness::edge_release(this); }
};

/// Ownership: in the run's arena. Holds its operands from init to finalize. Threads: code that took
/// it out of the queue.
class Task {
 public:
  Task(Rank& rank, Request request, const Arguments& arguments);
  Task(const Task&) = delete;  // Its parts point at its post.
  Task& operator=(const Task&) = delete;

  // ---- from init to finalize ----
  /// Takes the next number of the team.
  void number();
  /// Takes what it needs for any post; release() gives it back.
  Status prepare();
  void release();
  /// Gives back what prepare() took before it failed.
  void give_back();
  CUdeviceptr destination() const { return operands_.destination(); }

  // ---- from post to the end ----
  /// `triggered`: the caller sets it up before it is queued.
  void start(bool triggered);
  /// Goes as far as it can. Returns true when it moved.
  bool advance();
  /// Whether its next poll would do anything. No turn: it tells whom to wake, no more.
  bool can_go_on() const;
  /// Returns what it waits for, in words.
  harness::Label waits_for() const;
  /// Takes the task over from code that ended it, and returns what it ended with.
  Status take_over();

  Status status() const { return status_; }
  /// Whether it is in the queue, or with code that took it out.
  bool queued() const { return queued_; }
  /// Whether its copies were submitted.
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
  harness::Activation activation_;  ///< Asks what is asked on its behalf.
  Stage stage_ = Stage::initialized;
  Status status_ = Status::ok;
  Status error_ = Status::ok;  ///< joins_after_error: what it will end with.
  bool queued_ = false;
  Handover handover_;
};

}  // namespace targets::alltoallv
