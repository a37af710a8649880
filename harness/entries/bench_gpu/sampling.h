// SPDX-License-Identifier: Apache-2.0
// Sampling: which times of a GPU count. Its clocks are taken as they are found, as locking them
// needs rights that few have; a sample that was taken while they were held down is dropped, and
// taken again after a pause.
//
// Source: NVBench's handling of throttled GPUs: the clock of the multiprocessors is measured beside
// each sample, and what ran below three quarters of the nominal clock does not count. Errors:
// std::runtime_error if the GPU does not recover.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

namespace harness::entries {

/// One measurement.
struct GpuSample {
  double seconds = 0;   ///< Between the two events around the work.
  double clock_hz = 0;  ///< That of the multiprocessor that was asked, right after the work.
};

struct SamplingTerms {
  double nominal_hz = 0;                 ///< 0 if the driver names none: then every sample counts.
  double least_share = 0.75;             ///< A share of the nominal clock.
  std::size_t most_dropped_in_row = 20;  ///< This many, and the GPU is given up.
  std::chrono::milliseconds pause{50};   ///< Before what was dropped is taken again.
};

/// Takes samples from one GPU. Threads: confined to one.
class Sampling {
 public:
  using Take = std::function<GpuSample()>;
  using Wait = std::function<void(std::chrono::milliseconds)>;

  Sampling(SamplingTerms terms, Take take, Wait wait);

  /// Returns the seconds of the next sample that counts.
  double next();

  std::size_t dropped() const { return dropped_; }
  /// Returns the mean clock of the samples that counted, 0 before the first.
  double mean_hz() const;

 private:
  bool counts(const GpuSample& sample) const;

  SamplingTerms terms_;
  Take take_;
  Wait wait_;
  std::size_t dropped_ = 0;
  std::size_t counted_ = 0;
  double sum_hz_ = 0;
};

}  // namespace harness::entries
