// SPDX-License-Identifier: Apache-2.0
// A lock that is offered orders memory uses of the offering and the taking task. So do several
// releases of one object by several tasks.
#include <array>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class OfferedLock : public UnderStrategy {};

/// The device lags, and at each turn code that is announced next goes first.
class LaggingInTurns final : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    return question.site == Site::lag || question.site == Site::schedule ? 1 : 0;
  }
};

// Each uses memory and waits; the other one frees it. Nothing gives the lock up but by the offer.
TEST_F(OfferedLock, OrdersTheWorkOfBothTasks) {
  stage.judge_order();
  bool offered = false;
  run(LaggingInTurns(), [this, &offered] {
    Scheduler& scheduler = stage.world.scheduler;
    Mutex mutex(scheduler);
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    std::array<CUstream, 4> streams{};
    for (CUstream& stream : streams) stream = make_stream();
    CUdeviceptr mine = allocate_async(64, streams[0]);
    CUdeviceptr others = allocate_async(64, streams[1]);
    CUDA_OK(cuStreamSynchronize(streams[0]));
    CUDA_OK(cuStreamSynchronize(streams[1]));
    mutex.lock();
    scheduler.spawn("second", [&] {
      CUDA_OK(cuCtxSetCurrent(context));
      mutex.lock();
      CUDA_OK(cuMemFreeAsync(mine, streams[2]));
      keep_busy(streams[1], others);
      CUDA_OK(cuStreamSynchronize(streams[1]));
      offered = true;
      mutex.unlock();
    });
    keep_busy(streams[0], mine);
    CUDA_OK(cuStreamSynchronize(streams[0]));
    for (int time = 0; time < 9 && !offered; ++time) mutex.offer();
    CUDA_OK(cuMemFreeAsync(others, streams[3]));
    mutex.unlock();
  });
  EXPECT_TRUE(offered);
  expect_finished();
}

class SeveralReleases : public UnderStrategy {};

// One task releases its knowledge. Another one, without that knowledge, releases its own twice.
TEST_F(SeveralReleases, KeepTheOrderOfAnotherRelease) {
  stage.judge_order();
  run(lagging(), [this] {
    Scheduler& scheduler = stage.world.scheduler;
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    CUstream stream = make_stream();
    CUstream busy = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUdeviceptr elsewhere = allocate_async(64, busy);
    CUDA_OK(cuStreamSynchronize(stream));
    CUDA_OK(cuStreamSynchronize(busy));
    Latch all(scheduler, 3);
    Latch over(scheduler, 1);
    constexpr Resource kLuck = 7;  // Orders nothing that is seen.
    bool is_left = false;
    scheduler.spawn("releases twice", [&] {
      CUDA_OK(cuCtxSetCurrent(context));
      scheduler.wait_until({kLuck, AccessKind::read}, "luck", [&] { return is_left; });
      for (int time = 0; time < 2; ++time) {
        keep_busy(busy, elsewhere);
        CUDA_OK(cuStreamSynchronize(busy));
        all.count_down();
      }
    });
    scheduler.spawn("frees", [&] {
      CUDA_OK(cuCtxSetCurrent(context));
      all.wait();
      CUDA_OK(cuMemFreeAsync(address, busy));
      CUDA_OK(cuStreamSynchronize(busy));
      over.count_down();
    });
    keep_busy(stream, address);
    CUDA_OK(cuStreamSynchronize(stream));
    all.count_down();
    is_left = true;
    scheduler.touch(kLuck);
    over.wait();
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
