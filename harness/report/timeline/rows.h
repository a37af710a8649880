// SPDX-License-Identifier: Apache-2.0
// Timeline rows: the selected events of a run, each with its marks in the lanes.
#pragma once

#include <vector>

#include "harness/report/timeline/lanes.h"

namespace harness::reports {

/// Ownership: borrows the telling. Threads: confined to one thread.
class TimelineRows {
 public:
  static constexpr std::size_t kNone = FaultSides::kNone;

  TimelineRows(const Telling& telling, Extent extent);

  const Telling& telling() const { return telling_; }
  const Teller& teller() const { return teller_; }
  const std::vector<StoryItem>& items() const { return items_; }
  const FaultSides& sides() const { return sides_; }
  /// Returns the reported fault of the run, or null.
  const Fault* fault() const {
    return sides_.fault == kNone ? nullptr : items_[sides_.fault].fault;
  }
  TimelineLanes& lanes() { return lanes_; }
  const std::vector<Row>& rows() const { return rows_; }

  /// Returns the row of the event with this index, or kNone.
  std::size_t row_of(std::size_t index) const { return index == kNone ? kNone : rows_of_[index]; }
  /// Returns the row in which a slot is overwritten, which is not an event; or kNone.
  std::size_t overwritten() const { return overwritten_; }

 private:
  void add(std::size_t index);
  std::size_t add(const Event& event);
  std::size_t add(const Fault& fault, bool is_reported);
  std::size_t add_row(std::uint64_t turn, Weight weight, std::string text, std::vector<Mark> marks);
  bool matters(Name object) const {
    return teller_.concerned(object) || (object != 0 && object == sides_.victim);
  }
  bool ends_last_row(const Event& event) const;
  std::vector<Mark> actors(const Fault& fault, bool is_reported);
  void add_objects(const Fault& fault, std::vector<Mark>& marks);
  void add_overwriting_before(std::uint64_t turn, bool is_fault);

  const Telling& telling_;
  const Teller teller_;
  const std::vector<StoryItem> items_;
  const FaultSides sides_;
  TimelineLanes lanes_;
  std::vector<Row> rows_;
  std::vector<std::size_t> rows_of_;
  const Event* last_event_ = nullptr;  ///< The event of the last row, if it has one.
  std::size_t overwritten_ = kNone;
};

}  // namespace harness::reports
