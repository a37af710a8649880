// SPDX-License-Identifier: Apache-2.0
#include "harness/fuzz/bench_gpu/sampling.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace harness::entries {

Sampling::Sampling(SamplingTerms terms, Take take, Wait wait)
    : terms_(terms), take_(std::move(take)), wait_(std::move(wait)) {}

bool Sampling::counts(const GpuSample& sample) const {
  return sample.clock_hz >= terms_.least_share * terms_.nominal_hz;
}

double Sampling::next() {
  GpuSample sample;
  for (std::size_t in_row = 0; in_row < terms_.most_dropped_in_row; ++in_row) {
    sample = take_();
    if (counts(sample)) {
      ++counted_;
      sum_hz_ += sample.clock_hz;
      return sample.seconds;
    }
    ++dropped_;
    wait_(terms_.pause);
  }
  throw std::runtime_error(fmt::format(
      "the GPU is throttled: {} samples in a row at less than {:.0f} % of its clock, the last at "
      "{:.0f} MHz of {:.0f}; let it cool down, or see nvidia-smi -q -d PERFORMANCE",
      terms_.most_dropped_in_row, 100 * terms_.least_share, sample.clock_hz / 1e6,
      terms_.nominal_hz / 1e6));
}

double Sampling::mean_hz() const {
  return counted_ == 0 ? 0 : sum_hz_ / static_cast<double>(counted_);
}

}  // namespace harness::entries
