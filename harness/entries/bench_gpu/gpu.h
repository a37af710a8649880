// SPDX-License-Identifier: Apache-2.0
// Gpu: one GPU to be measured: its primary context, a stream, and times between two events there.
//
// How a sample is taken: the L2 cache is overwritten; the stream is held by a word of the host's
// until everything is submitted, so that no time of the host's is measured; then come an event, the
// work, an event, and a kernel that tells the clock.
// Source: NVBench's cold measurements. There a kernel that spins holds the stream; here it is
// cuStreamWaitValue32, which takes no multiprocessor.
// Ownership: owns all that it makes; what is allocated or loaded lives until the end of the
// process. Errors: std::runtime_error with the call and the driver's name for what went wrong.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/cuda.h"
#include "harness/entries/bench_gpu/sampling.h"

namespace harness::entries {

class Gpu {
 public:
  /// The first device of the driver that load_driver() finds.
  Gpu();
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const DriverTable& driver() const { return driver_; }
  CUstream stream() const { return stream_; }
  /// Returns the clock that the driver names for the multiprocessors, in Hz; 0 for none.
  double nominal_hz() const { return nominal_hz_; }

  /// Throws where a call failed.
  void check(CUresult status, const char* call) const;

  CUfunction load(std::span<const std::byte> image, const char* kernel) const;
  /// Returns `bytes` of the device's memory, all 0.
  CUdeviceptr allocate(std::size_t bytes) const;
  /// Returns a copy of the value in the device's memory.
  template <class Value>
  CUdeviceptr copy(const Value& value) const {
    return copy(std::as_bytes(std::span(&value, 1)));
  }
  CUdeviceptr copy(std::span<const std::byte> bytes) const;

  /// Takes one sample of what `submit` submits to the stream, and waits for it. Work whose first
  /// submission loads something must have run before: the driver may wait for the device then.
  template <class Submit>
  GpuSample sample(Submit submit) {
    hold();
    submit();
    return let_go();
  }
  void wait() const { check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize"); }

 private:
  /// How many cycles and nanoseconds passed between two looks of one thread.
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
  volatile std::uint32_t* gate_ = nullptr;  ///< In memory of the host; the stream waits for a 1.
  CUdeviceptr gate_on_device_ = 0;
  CUfunction clock_ = nullptr;
  CUdeviceptr clock_reading_ = 0;
};

}  // namespace harness::entries
