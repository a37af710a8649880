// SPDX-License-Identifier: Apache-2.0
// Timeline lanes: who or what each lane belongs to, made when it is first asked for.
#pragma once

#include <set>
#include <vector>

#include "harness/reports/fault_sides.h"
#include "harness/reports/timeline/timeline.h"

namespace harness::reports {

/// Ownership: borrows the telling and its teller.
class TimelineLanes {
 public:
  TimelineLanes(const Telling& telling, const Teller& teller);

  /// Finds the lane of a task.
  std::size_t of_task(std::uint16_t task);
  /// Finds the lane of a stream.
  std::size_t of_stream(Name stream);
  /// Finds the lane of an object that the told fault is about.
  std::size_t of_object(Name object);
  /// Finds the lane of code that did it: a task, or the stream that executes it.
  std::size_t of_actor(const Event& event);
  /// Finds the lane of code that was at work when the fault was found.
  std::size_t of_actor(const Fault& fault);

  /// Whether work was ever queued on it.
  bool is_stream(Name object) const { return streams_.contains(object); }

  /// Tasks as they were spawned, then streams, then objects as they came; how each is called.
  std::vector<Lane> sorted() const;
  /// Where each lane stands in sorted().
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
