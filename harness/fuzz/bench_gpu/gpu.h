// SPDX-License-Identifier: Apache-2.0
// Gpu: a GPU to measure: its primary context, a stream, and times between two events on that
// stream.
//
// How a sample is taken: the L2 cache is overwritten. A word in host memory blocks the stream until
// everything is submitted, so that no host time is measured. Then come an event, the work, an
// event, and a kernel that reads the clock.
// Source: NVBench's cold measurements. There a spinning kernel blocks the stream; here it is
// cuStreamWaitValue32, which occupies no multiprocessor.
// Ownership: owns all that it creates; allocations and modules live until the end of the process.
// Errors: std::runtime_error with the call and the driver's name for the error.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/driver/cuda/cuda.h"
#include "harness/fuzz/bench_gpu/sampling.h"

namespace harness::entries {

class Gpu {
 public:
  /// Uses the first device of the driver that load_driver() finds.
  Gpu();
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const DriverTable& driver() const { return driver_; }
  CUstream stream() const { return stream_; }
  /// Returns the nominal clock of the multiprocessors in Hz, or 0 if the driver does not know it.
  double nominal_hz() const { return nominal_hz_; }

  /// Throws if the status is an error.
  void check(CUresult status, const char* call) const;

  CUfunction load(std::span<const std::byte> image, const char* kernel) const;
  /// Returns the address of `bytes` of device memory, all 0.
  CUdeviceptr allocate(std::size_t bytes) const;
  /// Returns the address of a copy of the value in device memory.
  template <class Value>
  CUdeviceptr copy(const Value& value) const {
    return copy(std::as_bytes(std::span(&value, 1)));
  }
  CUdeviceptr copy(std::span<const std::byte> bytes) const;

  /// Takes one sample of the work that `submit` submits to the stream, and waits for it. Work whose
  /// first submission loads something must have run before, because loading may wait for the
  /// device.
  template <class Submit>
  GpuSample sample(Submit submit) {
    hold();
    submit();
    return let_go();
  }
  void wait() const { check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize"); }

 private:
  /// Cycles and nanoseconds between two readings by one thread.
  struct ClockReading {
    std::uint64_t cycles;
    std::uint64_t nanoseconds;
  };

  int attribute(CUdevice_attribute attribute) const;
  void hold();
  GpuSample let_go();

  const DriverTable& driver_;
  CUdevice device_ = 0;
  CUstream stream_ = nullptr;
  CUevent before_ = nullptr, after_ = nullptr;
  double nominal_hz_ = 0;
  std::size_t flushed_bytes_ = 0;
  CUdeviceptr flushed_ = 0;
  volatile std::uint32_t* gate_ = nullptr;  ///< In host memory; the stream waits for a 1.
  CUdeviceptr gate_on_device_ = 0;
  CUfunction clock_ = nullptr;
  CUdeviceptr clock_reading_ = 0;
};

}  // namespace harness::entries
