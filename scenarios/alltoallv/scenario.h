// SPDX-License-Identifier: Apache-2.0
// Parts of the alltoallv scenario; scenario.cpp describes how they fit together.
#pragma once

#include "harness/run/scenario/scenario.h"
#include "targets/alltoallv/alltoallv.h"

namespace scenarios::alltoallv {

/// The ops of a job, one per row of ops.def.
enum class Op : std::uint8_t {
#define OP(name, when, run) name,
#include "scenarios/alltoallv/ops.def"
};
inline constexpr auto kOps = std::to_array<harness::OpInfo>({
#define OP(name, when, run) {#name},
#include "scenarios/alltoallv/ops.def"
});

/// The windows, one per row of windows.def.
enum class Window : std::uint8_t {
#define WINDOW(name, summary) name,
#include "scenarios/alltoallv/windows.def"
};

/// The length of a job.
struct Shape {
  std::uint32_t slots = 10;
  std::uint32_t closing_slots = 0;  ///< Additional ones, used while there is no collective.
  bool blocking = false;            ///< Waits for each collective before the next op.
  std::uint32_t thread_count = 0;   ///< Progress threads per rank at the start.
};
inline constexpr std::uint32_t kSlotCountLimit = 32;
static_assert(kSlotCountLimit <= targets::alltoallv::kRequestLimit);

/// The axes of a configuration, by index.
enum Axis : std::size_t { kConcurrentAxis, kRanksAxis, kCloseAxis, kCopiesAxis };
std::uint32_t rank_count(const harness::Config& config);
std::uint32_t slot_count(const harness::Config& config);
/// Returns whether a mapping without users is closed instead of kept.
bool closes_at_zero(const harness::Config& config);
/// Returns whether the copies of a collective are one call, as with CUDA 13.
bool copies_in_batches(const harness::Config& config);

void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);
/// The same for a path that is not a variant.
using Maker = targets::alltoallv::Alltoallv* (*)(harness::Runtime&,
                                                 const targets::alltoallv::Setup&);
void drive_path(harness::Scene& scene, const Shape& shape, Maker make);

}  // namespace scenarios::alltoallv
