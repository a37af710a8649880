// SPDX-License-Identifier: Apache-2.0
// The collector runs on a separate thread without a context: the memory is freed nevertheless, and
// the thread's state is restored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/alltoallv/tests/alltoallv_broken.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::Label;
using ::testing::Contains;
using ::testing::IsEmpty;

/// Rank 0 sleeps, and its source is garbage, when the collector's own task gets to run.
Case collected_elsewhere() {
  Case the_case = make_case("snapshot_region", "C=8 ranks=2 close=never",
                            Program()
                                .script(Op::alltoallv)
                                .script(Op::make_cycle)
                                .script(Op::wait)
                                .script(Op::drop)
                                .script(Op::sleep));
  const harness::Name waiting =
      harness::derive_name(harness::slot_name(0, 2), Label("rank").hash(), 1);
  the_case.tape.push_back({harness::derive_name(0, Label("collector").hash(), 0),
                           harness::site_tag(harness::Site::collect), 0, 1});
  the_case.tape.push_back({waiting, harness::site_tag(harness::Site::delay), 2, 3});
  return the_case;
}

/// Returns how often the collector's task called `name`.
int calls_of_collector(const harness::Runner& runner, Label name) {
  int count = 0;
  for (const harness::Event& event : runner.history().events())
    count += event.kind == harness::EventKind::call && event.what == name && event.task != 0xffff &&
             runner.world().scheduler.tasks().label(static_cast<harness::TaskId>(event.task)) ==
                 Label("collector");
  return count;
}

TEST(AlltoallvCollector, FreesMemoryOnAThreadWithoutAContext) {
  harness::Runner runner;
  EXPECT_THAT(faults_of(runner.run(collected_elsewhere())), IsEmpty());
  EXPECT_EQ(calls_of_collector(runner, "cuMemFree"), 1);
}

/// Pushes a context and never pops it.
class KeepContext final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void drop(std::uint32_t rank, Buffer buffer) override {
    CUcontext context = nullptr;
    cuCtxGetCurrent(&context);
    cuCtxPushCurrent(context);
    path_.drop(rank, buffer);
  }
};
TEST(AlltoallvCollector, AThreadDoesNotKeepABorrowedContext) {
  const Program program = Program().script(Op::alltoallv);
  EXPECT_THAT(run_policy<SnapshotRegion>("C=8 ranks=2 close=never", program), IsEmpty());
  EXPECT_THAT(run_wrapper<KeepContext>("C=8 ranks=2 close=never", program),
              Contains("api_misuse context"));
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
