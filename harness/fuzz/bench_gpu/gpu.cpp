// SPDX-License-Identifier: Apache-2.0
#include "harness/fuzz/bench_gpu/gpu.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "harness/devices/gpu/gpu_device.h"

namespace harness::entries {

namespace {

/// Reads a multiprocessor's cycle counter and clock twice, 20 us apart. It is PTX text, because a
/// kernel.cu has no inline PTX. Each driver that supports the fatbins' oldest architecture accepts
/// it.
constexpr char kClockKernel[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry clock_rate(.param .u64 reading)
{
  .reg .pred %again;
  .reg .u64 %to, %cycles, %begin, %now, %passed;
  ld.param.u64 %to, [reading];
  cvta.to.global.u64 %to, %to;
  mov.u64 %begin, %globaltimer;
  mov.u64 %cycles, %clock64;
LOOK:
  mov.u64 %now, %globaltimer;
  sub.u64 %passed, %now, %begin;
  setp.lt.u64 %again, %passed, 20000;
  @%again bra LOOK;
  mov.u64 %now, %clock64;
  sub.u64 %cycles, %now, %cycles;
  st.global.u64 [%to], %cycles;
  st.global.u64 [%to+8], %passed;
  ret;
}
)";

constexpr std::size_t kLeastFlushed = std::size_t{1} << 20;

}  // namespace

Gpu::Gpu() : driver_(devices::load_driver()) {
  CUcontext context = nullptr;
  check(driver_.cuDeviceGet(&device_, 0), "cuDeviceGet");
  check(driver_.cuDevicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain");
  check(driver_.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  check(driver_.cuEventCreate(&before_, CU_EVENT_DEFAULT), "cuEventCreate");
  check(driver_.cuEventCreate(&after_, CU_EVENT_DEFAULT), "cuEventCreate");
  nominal_hz_ = 1e3 * attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  const auto cache_bytes = static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  flushed_bytes_ = std::max(cache_bytes, kLeastFlushed);
  flushed_ = allocate(flushed_bytes_);
  void* gate = nullptr;
  check(driver_.cuMemHostAlloc(&gate, sizeof *gate_, CU_MEMHOSTALLOC_DEVICEMAP), "cuMemHostAlloc");
  check(driver_.cuMemHostGetDevicePointer_v2(&gate_on_device_, gate, 0),
        "cuMemHostGetDevicePointer");
  gate_ = static_cast<std::uint32_t*>(gate);
  clock_ = load(std::as_bytes(std::span(kClockKernel)), "clock_rate");
  clock_reading_ = allocate(sizeof(ClockReading));
}

Gpu::~Gpu() { driver_.cuDevicePrimaryCtxRelease_v2(device_); }

void Gpu::check(CUresult status, const char* call) const {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  if (driver_.cuGetErrorName(status, &name) != CUDA_SUCCESS) name = "unknown error";
  throw std::runtime_error(std::string(call) + ": " + name);
}

int Gpu::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  check(driver_.cuDeviceGetAttribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

CUfunction Gpu::load(std::span<const std::byte> image, const char* kernel) const {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  check(driver_.cuModuleLoadData(&module, image.data()), "cuModuleLoadData");
  check(driver_.cuModuleGetFunction(&function, module, kernel), kernel);
  return function;
}

CUdeviceptr Gpu::allocate(std::size_t bytes) const {
  CUdeviceptr address = 0;
  check(driver_.cuMemAlloc_v2(&address, bytes), "cuMemAlloc");
  check(driver_.cuMemsetD8Async(address, 0, bytes, stream_), "cuMemsetD8Async");
  wait();
  return address;
}

CUdeviceptr Gpu::copy(std::span<const std::byte> bytes) const {
  const CUdeviceptr address = allocate(bytes.size());
  check(driver_.cuMemcpyHtoDAsync_v2(address, bytes.data(), bytes.size(), stream_),
        "cuMemcpyHtoDAsync");
  wait();
  return address;
}

void Gpu::hold() {
  check(driver_.cuMemsetD8Async(flushed_, 0, flushed_bytes_, stream_), "cuMemsetD8Async");
  *gate_ = 0;
  check(driver_.cuStreamWaitValue32_v2(stream_, gate_on_device_, 1, CU_STREAM_WAIT_VALUE_EQ),
        "cuStreamWaitValue32");
  check(driver_.cuEventRecord(before_, stream_), "cuEventRecord");
}

GpuSample Gpu::let_go() {
  check(driver_.cuEventRecord(after_, stream_), "cuEventRecord");
  void* arguments[] = {&clock_reading_};
  check(driver_.cuLaunchKernel(clock_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr),
        "cuLaunchKernel");
  *gate_ = 1;
  wait();
  float milliseconds = 0;
  check(driver_.cuEventElapsedTime_v2(&milliseconds, before_, after_), "cuEventElapsedTime");
  ClockReading reading{};
  check(driver_.cuMemcpyDtoH_v2(&reading, clock_reading_, sizeof reading), "cuMemcpyDtoH");
  return {.seconds = 1e-3 * milliseconds,
          .clock_hz = 1e9 * static_cast<double>(reading.cycles) /
                      static_cast<double>(std::max<std::uint64_t>(reading.nanoseconds, 1))};
}

}  // namespace harness::entries
