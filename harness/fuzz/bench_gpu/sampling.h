// SPDX-License-Identifier: Apache-2.0
// Sampling: decides which measured times of a GPU count. Clocks are not locked, because that needs
// privileges that few users have. A sample that was taken while the GPU was throttled is dropped,
// and repeated after a pause.
//
// Source: NVBench's handling of throttled GPUs: the clock of the multiprocessors is measured with
// each sample, and a sample below three quarters of the nominal clock does not count. Errors:
// std::runtime_error if the GPU does not recover.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

namespace harness::entries {

/// One measurement.
struct GpuSample {
  double seconds = 0;   ///< Between the two events around the work.
  double clock_hz = 0;  ///< Measured on one multiprocessor right after the work.
};

struct SamplingTerms {
  double nominal_hz = 0;                 ///< 0 if the driver does not know it: all samples count.
  double least_share = 0.75;             ///< Smallest share of the nominal clock that counts.
  std::size_t most_dropped_in_row = 20;  ///< Limit of dropped samples in a row.
  std::chrono::milliseconds pause{50};   ///< Before a dropped sample is repeated.
};

/// Takes samples from one GPU. Threads: confined to one thread.
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
