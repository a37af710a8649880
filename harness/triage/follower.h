// Follower: a strategy that leaves answers as they are, and keeps a trail of the run: its
// questions, and the events between them. The seam adds calls.
#pragma once

#include "harness/history/trail.h"
#include "harness/pick.h"
#include "harness/world.h"

namespace harness::triaging {

/// Ownership: borrows the strategy that answers, the world of the runs and the trail.
class Follower final : public Strategy {
 public:
  Follower(Strategy& inner, const World& world, Trail& trail)
      : inner_(inner), world_(world), trail_(trail) {}

  void begin() override {
    inner_.begin();
    event_count_ = 0;
  }
  bool hears_all() const override { return true; }
  std::uint32_t answer(const Question& question) override;
  /// The run is over: takes in the events that no question has followed.
  void take_events();

 private:
  Strategy& inner_;
  const World& world_;
  Trail& trail_;
  std::size_t event_count_ = 0;  ///< So many are in the trail.
};

}  // namespace harness::triaging
