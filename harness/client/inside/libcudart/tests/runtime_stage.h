// SPDX-License-Identifier: Apache-2.0
// Runtime stage: a program on libcudart.so.13, with kernels and variables that it registers as
// nvcc's host code does, from PTX.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace harness::testing {

/// The kernels' and variables' addresses on the host. Each is a function or a variable of the PTX.
struct Host {
  char add;       ///< add(int* values, int count, int value): adds the value to each.
  char scale;     ///< scale(int* values, int count): multiplies each by factor[0].
  char count_up;  ///< count_up(): adds 1 to the managed variable.
  char sample;    ///< sample(int* out, cudaTextureObject_t texture): fetches the texel at 1.
  char wait_all;  ///< Waits at a barrier of its block.
  int counter;    ///< __device__ int counter = 7.
  int factor[4];  ///< __constant__ int factor[4].
  int* managed;   ///< __managed__ int managed = 5.
};
extern Host host;

/// Makes `managed` point to the variable, as the host code of nvcc does before it uses it.
bool initialize_module();

/// Each test begins without an error, and ends without one that it has not taken.
class Runtime : public ::testing::Test {
 protected:
  static constexpr std::size_t kCount = 8;
  static constexpr std::size_t kBytes = kCount * sizeof(int);
  using Values = std::array<int, kCount>;

  void SetUp() override { cudaGetLastError(); }
  void TearDown() override { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }

  /// Returns memory of the device that holds the values. Lifetime: the test's to free.
  static int* on_device(const Values& values = {}) {
    int* memory = nullptr;
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), kBytes), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory, values.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
    return memory;
  }
  static Values read(const void* memory) {
    Values values{};
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), memory, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }
  static Values all(int value) {
    Values values{};
    values.fill(value);
    return values;
  }
  static cudaStream_t stream() {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cudaStreamCreate(&made), cudaSuccess);
    return made;
  }
};

/// The arguments of `add`, by their addresses.
class AddArguments {
 public:
  AddArguments(int* memory, int value) : memory_(memory), value_(value) {}
  void** get() { return pointers_.data(); }

 private:
  int* memory_;
  int count_ = 8;
  int value_;
  std::array<void*, 3> pointers_{&memory_, &count_, &value_};
};

/// Expects an error, and takes it away.
inline void expect_error(cudaError_t error, cudaError_t wanted) {
  EXPECT_EQ(error, wanted) << cudaGetErrorName(error);
  EXPECT_EQ(cudaGetLastError(), wanted);
}

}  // namespace harness::testing

#define EXPECT_OK(call) EXPECT_EQ(call, cudaSuccess)
#define ASSERT_OK(call) ASSERT_EQ(call, cudaSuccess)
