// SPDX-License-Identifier: Apache-2.0
// CudaStage: a world with a device, for tests that call CUDA as a target does.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/fault/kinds.h"
#include "harness/core/tests/answers.h"
#include "harness/core/tests/run_tasks.h"
#include "harness/core/world.h"
#include "harness/device_code/kernel_image.h"
#include "harness/driver/device.h"

namespace harness::devices {
extern const DeviceInfo sim;
extern const DeviceInfo gpu;
}  // namespace harness::devices

extern "C" {
extern const harness::KernelImage afterlife_kernels_conformance;
extern const unsigned char afterlife_fatbin_conformance[];
extern const std::uint64_t afterlife_fatbin_conformance_size;
}

namespace harness::testing {

/// Answers the questions of one site with one option (or the last there is), and the rest by
/// default.
class Always : public Strategy {
 public:
  Always(Site site, std::uint32_t option) : site_(site), option_(option) {}
  std::uint32_t answer(const Question& question) override {
    if (question.site != site_) return 0;
    return option_ < question.option_count ? option_ : question.option_count - 1;
  }

 private:
  Site site_;
  std::uint32_t option_;
};

/// Leaves all work queued, until another waits for it.
inline Always lagging() { return {Site::lag, 1}; }

/// Where our own libcuda.so.1 is: beside the tests.
inline std::filesystem::path own_libcuda() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib" / "libcuda.so.1";
}

/// Makes a device for a World, and runs tasks on it.
struct CudaStage {
  /// Ownership: takes the device.
  explicit CudaStage(Device* taken) : device(taken) {
    world.device = taken;
    world.history.enable(~kind_bit(FaultKind::data_race));
  }

  /// From the next run on, uses of memory that nothing orders are faults too. Most tests keep
  /// several streams busy in the same memory, for other reasons.
  void judge_order() { world.history.enable(~FaultKinds{0}); }

  /// Runs `body` as the only task, with the device initialized and a context current.
  template <class Body>
  Ending run(Strategy& strategy, Body body) {
    return run_bare(strategy, [body] {
      EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
      CUcontext context = nullptr;
      EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
      EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
      body();
    });
  }

  /// The same, with nothing done before.
  template <class Body>
  Ending run_bare(Strategy& strategy, Body body) {
    const World::Guard guard(world);
    world.begin(strategy, 100'000);
    device->begin(world);
    world.scheduler.spawn("main", body);
    const Ending ending = world.scheduler.run();
    faults = world.history.faults();
    tape = world.picker.tape();
    device->end();
    return ending;
  }

  /// The same, with the stage's own answers.
  template <class Body>
  Ending run(Body body) {
    return run(answers, body);
  }

  /// Runs `body` with no task around it, as a program without a world does.
  template <class Body>
  void run_outside(Strategy& strategy, Body body) {
    const World::Guard guard(world);
    world.begin(strategy, 100'000);
    device->begin(world);
    body();
    faults = world.history.faults();
    device->end();
  }

  /// The kind of the only fault, or a sentence about what there was instead.
  std::string fault() const {
    if (faults.size() == 1) return std::string(to_label(faults.front().kind).view());
    std::string text = std::to_string(faults.size()) + " faults:";
    for (const Fault& each : faults) text += " " + each.signature() + " (" + each.detail + ");";
    return text;
  }

  World world;
  OrderAnswers answers{Answers::plain};
  std::vector<Fault> faults;
  Tape tape;
  std::unique_ptr<Device> device;
};

// ---- the devices that a conformance suite runs on ----------------------------------------------

enum class Backend { sim, libcuda, gpu };

inline std::string backend_name(const ::testing::TestParamInfo<Backend>& info) {
  switch (info.param) {
    case Backend::sim:
      return "sim";
    case Backend::libcuda:
      return "libcuda";
    case Backend::gpu:
      return "gpu";
  }
  return {};
}

/// Why the GPU cannot be used; empty when it can. Found out before our own library is loaded: from
/// then on the loader takes it for the real one, which has the same name.
inline const std::string& why_no_gpu() {
  static const std::string why = [] {
    try {
      const std::unique_ptr<Device> device(devices::gpu.make());
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string(
        afterlife_fatbin_conformance_size > 0 ? "" : "built without nvcc: no kernels for the GPU");
  }();
  return why;
}

/// Throws std::runtime_error if there is no such device.
inline Device* make_device(Backend backend) {
  if (backend == Backend::sim) return devices::sim.make();
  const std::string& why = why_no_gpu();
  if (backend == Backend::gpu)
    return why.empty() ? devices::gpu.make() : throw std::runtime_error(why);
  const std::string file = own_libcuda();
  if (!std::filesystem::exists(file)) throw std::runtime_error(file + " is not built");
  setenv("AFTERLIFE_LIBCUDA", file.c_str(), 1);
  Device* device = devices::gpu.make();
  unsetenv("AFTERLIFE_LIBCUDA");
  return device;
}

/// The device and the answers that a conformance test runs with.
struct Setting {
  Backend backend;
  Answers answers = Answers::plain;  ///< Applies to the simulated driver only.
};

inline std::string setting_name(const ::testing::TestParamInfo<Setting>& info) {
  constexpr const char* kAnswers[] = {"", "_lagging", "_streams_first", "_random"};
  return backend_name({info.param.backend, info.index}) + kAnswers[raw(info.param.answers)];
}

/// Each test runs on the simulated driver, with several ways to answer its picks; through our
/// libcuda.so.1; and on a GPU where there is one.
class OnEveryDevice : public ::testing::TestWithParam<Setting> {
 protected:
  /// Returns the device alone: a test does not depend on how picks are answered.
  static Backend GetParam() { return TestWithParam::GetParam().backend; }

  void SetUp() override {
    try {
      stage = std::make_unique<CudaStage>(make_device(GetParam()));
      stage->answers = OrderAnswers(TestWithParam::GetParam().answers);
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  const void* image() const {
    return GetParam() == Backend::gpu ? static_cast<const void*>(afterlife_fatbin_conformance)
                                      : &afterlife_kernels_conformance;
  }

  /// Runs `body` with the device initialized and a context current.
  template <class Body>
  void run(Body body) {
    EXPECT_EQ(stage->run(body), Ending::finished) << stage->fault();
  }
  void expect_no_fault() const { EXPECT_TRUE(stage->faults.empty()) << stage->fault(); }
  void expect_fault(std::string_view kind) const { EXPECT_EQ(stage->fault(), kind); }

  std::unique_ptr<CudaStage> stage;
};

/// The simulated driver with each kind of answers, then these devices.
#define INSTANTIATE_ON(Suite, ...)                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                             \
      Devices, Suite,                                                                   \
      ::testing::Values(Setting{Backend::sim}, Setting{Backend::sim, Answers::lagging}, \
                        Setting{Backend::sim, Answers::streams_first},                  \
                        Setting{Backend::sim, Answers::random}, __VA_ARGS__),           \
      setting_name)
#define INSTANTIATE_ON_EVERY_DEVICE(Suite) \
  INSTANTIATE_ON(Suite, Setting{Backend::libcuda}, Setting{Backend::gpu})

/// For what only the simulated driver can be made to do.
class OnSim : public ::testing::Test {
 protected:
  CudaStage stage{devices::sim.make()};
};

/// The same, where a strategy of the test's decides.
class UnderStrategy : public OnSim {
 protected:
  template <class Strategy, class Body>
  void run(Strategy strategy, Body body) {
    ending = stage.run(strategy, body);
  }
  void expect_finished() const {
    EXPECT_EQ(ending, Ending::finished);
    EXPECT_TRUE(stage.faults.empty()) << stage.fault();
  }
  Ending ending = Ending::finished;
};

/// A call that has to succeed for the test to mean anything.
#define CUDA_OK(call) ASSERT_EQ(call, CUDA_SUCCESS)

inline CUfunction get_kernel(const void* image, const char* name, CUmodule* module = nullptr) {
  CUmodule loaded = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleLoadData(&loaded, image), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, loaded, name), CUDA_SUCCESS);
  if (module != nullptr) *module = loaded;
  return function;
}

inline CUresult launch(CUfunction function, unsigned grid, unsigned block, CUstream stream,
                       std::initializer_list<void*> parameters) {
  void* copies[4] = {};
  std::copy(parameters.begin(), parameters.end(), copies);
  return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, copies, nullptr);
}

/// Starts a kernel that is still queued when this returns, on the lagging strategy, and uses
/// `address`.
inline void keep_busy(CUstream stream, CUdeviceptr address) {
  CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
  int count = 1;
  EXPECT_EQ(launch(function, 1, 1, stream, {&address, &count}), CUDA_SUCCESS);
}

inline CUdeviceptr allocate(std::size_t bytes) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, bytes), CUDA_SUCCESS);
  return address;
}

inline CUdeviceptr allocate_async(std::size_t bytes, CUstream stream = nullptr) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAllocAsync(&address, bytes, stream), CUDA_SUCCESS);
  return address;
}

/// Reads one int, once everything before it in the stream is done.
inline int read_int(CUdeviceptr address) {
  int value = -1;
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, address, sizeof value), CUDA_SUCCESS);
  return value;
}

inline void write_int(CUdeviceptr address, int value) {
  EXPECT_EQ(cuMemcpyHtoD_v2(address, &value, sizeof value), CUDA_SUCCESS);
}

inline CUstream make_stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = nullptr;
  EXPECT_EQ(cuStreamCreate(&stream, flags), CUDA_SUCCESS);
  return stream;
}

inline CUevent make_event(unsigned flags = CU_EVENT_DEFAULT) {
  CUevent event = nullptr;
  EXPECT_EQ(cuEventCreate(&event, flags), CUDA_SUCCESS);
  return event;
}

}  // namespace harness::testing
