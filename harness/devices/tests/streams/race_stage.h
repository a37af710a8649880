// SPDX-License-Identifier: Apache-2.0
// Race stage: runs programs with detection of data races.
#pragma once

#include <gtest/gtest.h>

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {

class RaceStage : public OnSim {
 protected:
  RaceStage() { stage.judge_order(); }

  template <class Body>
  void run(Body body) {
    EXPECT_EQ(stage.run(body), Ending::finished) << stage.fault();
  }
  void expect_order() const { EXPECT_EQ(stage.fault(), "data_race"); }
  void expect_none() const { EXPECT_TRUE(stage.faults.empty()) << stage.fault(); }
};

inline void set(CUstream stream, CUdeviceptr address, std::size_t bytes = 64) {
  EXPECT_EQ(cuMemsetD8Async(address, 1, bytes, stream), CUDA_SUCCESS);
}

inline void after(CUstream second, CUstream first) {
  CUevent event = make_event();
  EXPECT_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
}

}  // namespace harness::testing
