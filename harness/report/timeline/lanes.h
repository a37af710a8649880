// SPDX-License-Identifier: Apache-2.0
// Timeline lanes: the tasks, streams and objects of a timeline, each added on first use.
#pragma once

#include <set>
#include <vector>

#include "harness/report/fault_sides.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {

/// Ownership: borrows both arguments.
class TimelineLanes {
 public:
  TimelineLanes(const Telling& telling, const Teller& teller);

  /// Returns the lane of a task.
  std::size_t of_task(std::uint16_t task);
  /// Returns the lane of a stream.
  std::size_t of_stream(Name stream);
  /// Returns the lane of an object of the reported fault.
  std::size_t of_object(Name object);
  /// Returns the lane of an event's actor: its task, or the stream that executes it.
  std::size_t of_actor(const Event& event);
  /// Returns the lane of the task or stream that ran when the fault was found.
  std::size_t of_actor(const Fault& fault);

  /// Returns whether work was ever submitted to it.
  bool is_stream(Name object) const { return streams_.contains(object); }

  /// Returns the lanes with their names: tasks in the order of their start, then streams, then
  /// objects in the order of their use.
  std::vector<Lane> sorted() const;
  /// Returns the index of each lane in sorted().
  std::vector<std::size_t> places() const;

 private:
  struct Owner {
    LaneKind kind;
    Name id;
    bool operator==(const Owner&) const = default;
  };

  std::size_t of(Owner owner);
  std::string name_of(const Owner& owner) const;
  std::vector<std::size_t> order() const;

  const Telling& telling_;
  const Teller& teller_;
  std::set<Name> streams_;
  std::vector<Owner> owners_;
};

}  // namespace harness::reports
