// SPDX-License-Identifier: Apache-2.0
// ModelThings: the buffers, modules and events of a script, and its second stream.
#pragma once

#include "scenarios/graph_argument/model/records.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the world; a thing is in the run's arena.
class ModelThings {
 public:
  explicit ModelThings(harness::World& world) : world_(world) {}

  Thing& add(Kind kind, harness::BirthId life);
  const std::pmr::vector<Thing*>& all() const { return things_; }

  void close_stream() { stream_closed_ = true; }
  bool is_closed(StreamName stream) const { return stream == StreamName::second && stream_closed_; }
  /// Returns whether it is needed. After close(), it is needed while memory will be freed on it.
  bool is_second_stream_used() const;

 private:
  harness::World& world_;
  std::pmr::vector<Thing*> things_;
  bool stream_closed_ = false;
};

}  // namespace scenarios::graph_argument
