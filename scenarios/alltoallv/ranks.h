// Job: what the tasks of one run share: the plan, the path under test, and what its judges hear.
#pragma once

#include "scenarios/alltoallv/reference.h"

namespace scenarios::alltoallv {

/// Ownership: lives in the run's arena; borrows the scene and the path.
class Job final : public targets::alltoallv::Observer {
 public:
  Job(harness::Scene& scene, const Shape& shape);
  void set_path(targets::alltoallv::Alltoallv& path) { path_ = &path; }

  std::uint32_t rank_count() const { return rank_count_; }
  const Plan& plan() const { return plan_; }
  bool uses_scratch() const;

  /// Everything one rank does.
  void run_rank(std::uint32_t rank);
  /// The launcher: waits for all ranks, and looks at what is left.
  void run_launcher();

  bool reached(targets::alltoallv::Window window) const {
    return (scene_.reached() >> harness::raw(window) & 1) != 0;
  }

  /// What had gone wrong before `tick` that everything later may come of, or -1.
  int disorder_before(harness::Tick tick) const { return disordered_at_ < tick ? disorder_ : -1; }

  // ---- Observer ----
  void reached(targets::alltoallv::Window window) override { scene_.reach(harness::raw(window)); }
  void disordered(targets::alltoallv::Window window) override {
    if (disorder_ >= 0) return;
    disorder_ = harness::raw(window);
    disordered_at_ = scene_.world().scheduler.now();
  }
  void copied() override { scene_.exercised(); }
  void read(const targets::alltoallv::Reading& reading) override;

 private:
  using Status = targets::alltoallv::Status;

  void take_step(std::uint32_t rank, const Step& step);
  Status perform(std::uint32_t rank, const Step& step);
  Status stay_behind(std::uint32_t rank, std::uint32_t turns);
  Status sleep(std::uint32_t turns);
  Status begin(std::uint32_t rank, const Step& step);
  Status post_again(std::uint32_t rank, const Step& step);
  void finish(std::uint32_t rank, std::uint32_t slot);
  void finish_all(std::uint32_t rank);
  void leave(std::uint32_t rank);
  void renew_team(std::uint32_t rank, const Step& step);
  const Step& step_at(std::uint32_t slot) const;

  harness::Scene& scene_;
  std::uint32_t rank_count_;
  bool calm_;  ///< No call is told to fail. Plain: some may be.
  Plan plan_;
  Shape shape_;
  targets::alltoallv::Alltoallv* path_ = nullptr;
  std::array<Fills, kSlotCountLimit> fills_{};  ///< By slot: which source each rank gave.
  std::array<std::array<std::uint32_t, targets::alltoallv::kBufferCount>, kRankLimit> filled_{};
  std::array<std::uint32_t, kRankLimit> outstanding_{};  ///< By rank, a bit per slot.
  std::array<std::uint32_t, kRankLimit> kept_{};         ///< Persistent ones.
  int disorder_ = -1;
  harness::Tick disordered_at_ = 0;
  harness::Latch dropped_;
  harness::Latch collected_;
  harness::Latch closed_;
};

}  // namespace scenarios::alltoallv
