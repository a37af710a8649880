// SPDX-License-Identifier: Apache-2.0
// Random numbers: a CPU generator for each operator that draws, seeded from the seed and the offset
// of CUDA's generator. So a program that sets a seed gets the same numbers again. They differ from
// those that a GPU draws.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>

#include "harness/client/inside/torch/work.h"

namespace afterlife {

/// Returns the registered operator of this name.
Operator& operator_named(const char* name);

/// Returns the generator for an operator whose argument is `given`. During a capture CUDA's
/// generator cannot be read, so a counter seeds it; its numbers continue from replay to replay.
inline c10::IValue next_draw(const c10::IValue& given, const c10::cuda::CUDAStream& stream) {
  static std::atomic<std::uint64_t> captured{0};
  if (given.isGenerator() && given.toGenerator().device().is_cpu()) return given;
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
  if (c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None) {
    offset = ++captured;
  } else {
    at::Generator generator = given.isGenerator()
                                  ? given.toGenerator()
                                  : at::globalContext().defaultGenerator(stream.device());
    const std::lock_guard lock(generator.mutex());
    constexpr std::uint64_t kStep = 4;  // Philox offsets are multiples of 4.
    seed = generator.current_seed();
    offset = generator.get_offset();
    generator.set_offset(offset + kStep);
  }
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
  return at::make_generator<at::CPUGeneratorImpl>((seed + 1) * kMix ^ offset);
}

/// Replaces CUDA's dropout, which does not use a generator argument. Returns the result and the
/// mask.
inline std::tuple<at::Tensor, at::Tensor> dropout(const at::Tensor& input, double probability,
                                                  std::optional<bool> train) {
  const bool drops = !train.has_value() || *train;
  at::Tensor mask = at::empty_like(input, input.options().dtype(at::kBool));
  if (!drops) return {input.clone(), mask.fill_(true)};
  mask.bernoulli_(1 - probability);
  const double scale = probability == 1 ? 0 : 1 / (1 - probability);
  return {input.mul(mask).mul(scale), mask};
}

}  // namespace afterlife
