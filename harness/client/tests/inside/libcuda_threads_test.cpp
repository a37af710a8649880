// SPDX-License-Identifier: Apache-2.0
// Threads of the driver's own in a program without a world: who calls the functions of the program.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "harness/client/tests/inside/libcuda_stage.h"

namespace harness::testing {
namespace {

class LibcudaThreads : public Libcuda {};

/// Waits for the other side, but not for ever: a driver that calls on our own thread gets past it.
template <class Done>
bool comes_true(Done done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return done();
}

/// A function of the program that waits for the program.
struct Meeting {
  std::atomic<bool> program_is_there{false};
  std::atomic<bool> met{false};
  std::thread::id thread;

  static void wait(void* data) {
    auto& self = *static_cast<Meeting*>(data);
    self.thread = std::this_thread::get_id();
    self.met = comes_true([&self] { return self.program_is_there.load(); });
  }
};

TEST_F(LibcudaThreads, AHostFunctionMayWaitForTheProgram) {
  const auto launch_function = get("cuLaunchHostFunc", &DriverTable::cuLaunchHostFunc);
  const auto query = get("cuStreamQuery", &DriverTable::cuStreamQuery);
  const auto synchronize = get("cuStreamSynchronize", &DriverTable::cuStreamSynchronize);
  Meeting meeting;
  ASSERT_EQ(launch_function(nullptr, Meeting::wait, &meeting), CUDA_SUCCESS);
  EXPECT_EQ(query(nullptr), CUDA_ERROR_NOT_READY);
  meeting.program_is_there = true;
  EXPECT_EQ(synchronize(nullptr), CUDA_SUCCESS);
  EXPECT_TRUE(meeting.met);
  EXPECT_NE(meeting.thread, std::this_thread::get_id());
}

TEST_F(LibcudaThreads, AChildOfForkHasThreadsOfItsOwn) {
  const auto launch_function = get("cuLaunchHostFunc", &DriverTable::cuLaunchHostFunc);
  const auto synchronize = get("cuStreamSynchronize", &DriverTable::cuStreamSynchronize);
  static int called = 0;
  const auto call = [](void*) { ++called; };
  ASSERT_EQ(launch_function(nullptr, call, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(synchronize(nullptr), CUDA_SUCCESS);
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);
    launch_function(nullptr, call, nullptr);
    _exit(synchronize(nullptr) == CUDA_SUCCESS && called == 2 ? 7 : 8);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(LibcudaThreads, AHostFunctionHoldsUpWhatComesAfterIt) {
  const auto set = get("cuMemsetD32Async", &DriverTable::cuMemsetD32Async);
  const auto query = get("cuStreamQuery", &DriverTable::cuStreamQuery);
  void* pinned = nullptr;
  ASSERT_EQ(get("cuMemAllocHost_v2", &DriverTable::cuMemAllocHost_v2)(&pinned, 4), CUDA_SUCCESS);
  auto& word = *static_cast<std::atomic<unsigned>*>(pinned);
  word = 1;
  Meeting meeting;
  ASSERT_EQ(
      get("cuLaunchHostFunc", &DriverTable::cuLaunchHostFunc)(nullptr, Meeting::wait, &meeting),
      CUDA_SUCCESS);
  ASSERT_EQ(set(reinterpret_cast<CUdeviceptr>(pinned), 2, 1, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(word, 1U);
  meeting.program_is_there = true;
  EXPECT_TRUE(comes_true([&] { return query(nullptr) == CUDA_SUCCESS; }));  // Nothing waits.
  EXPECT_EQ(word, 2U);
}

TEST_F(LibcudaThreads, AStreamCallbackMayNotCallAndIsToldItsStream) {
  struct Told {
    decltype(&::cuCtxGetCurrent) call;
    CUstream stream = nullptr;
    CUresult answer = CUDA_SUCCESS;
  } told{get("cuCtxGetCurrent", &DriverTable::cuCtxGetCurrent)};
  CUstream stream = nullptr;
  ASSERT_EQ(get("cuStreamCreate", &DriverTable::cuStreamCreate)(&stream, 0), CUDA_SUCCESS);
  const auto callback = [](CUstream from, CUresult, void* data) {
    auto& self = *static_cast<Told*>(data);
    CUcontext context = nullptr;
    self.stream = from;
    self.answer = self.call(&context);
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(
      get("cuStreamAddCallback", &DriverTable::cuStreamAddCallback)(stream, callback, &told, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(get("cuStreamSynchronize", &DriverTable::cuStreamSynchronize)(stream), CUDA_SUCCESS);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(told.stream, stream);
  EXPECT_EQ(told.answer, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_NE(said.find("api_misuse host function"), std::string::npos) << said;
}

TEST_F(LibcudaThreads, ADestructorMayWaitForTheProgram) {
  Meeting meeting;
  CUuserObject object = nullptr;
  ASSERT_EQ(get("cuUserObjectCreate", &DriverTable::cuUserObjectCreate)(
                &object, &meeting, Meeting::wait, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
            CUDA_SUCCESS);
  ASSERT_EQ(get("cuUserObjectRelease", &DriverTable::cuUserObjectRelease)(object, 1), CUDA_SUCCESS);
  EXPECT_FALSE(meeting.met);
  meeting.program_is_there = true;
  EXPECT_TRUE(comes_true([&] { return meeting.met.load(); }));
  EXPECT_NE(meeting.thread, std::this_thread::get_id());
}

TEST_F(LibcudaThreads, ASynchroniseGivesDestructorsAWhile) {
  std::atomic<bool> done{false};
  const auto destroy = [](void* data) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    *static_cast<std::atomic<bool>*>(data) = true;
  };
  CUuserObject object = nullptr;
  ASSERT_EQ(get("cuUserObjectCreate", &DriverTable::cuUserObjectCreate)(
                &object, &done, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
            CUDA_SUCCESS);
  ASSERT_EQ(get("cuUserObjectRelease", &DriverTable::cuUserObjectRelease)(object, 1), CUDA_SUCCESS);
  EXPECT_EQ(get("cuCtxSynchronize", &DriverTable::cuCtxSynchronize)(), CUDA_SUCCESS);
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace harness::testing
