// The pieces of the alltoallv scenario; scenario.cpp says how they fit.
#pragma once

#include "harness/scenario.h"
#include "targets/alltoallv/alltoallv.h"

namespace scenarios::alltoallv {

/// The ops of a job: what every rank, or one of them, does next. Their names, which are what tapes
/// hold, are in kOps, in this order.
enum class Op : std::uint8_t {
  alltoallv,
  alltoall,
  allgather,
  reduce_scatter,
  persistent,  ///< An alltoallv that can be posted again.
  post_again,
  init_only,  ///< Finalized without having been posted.
  in_place,   ///< Refused.
  wait,
  progress,
  renew,  ///< All but one finish what is outstanding, and drop a buffer.
  drop,
  make_cycle,
  collect,
  start_thread,
  new_team,
  sleep,
};
inline constexpr std::size_t kOpCount = 17;
inline constexpr std::array<harness::OpInfo, kOpCount> kOps{{
    {"alltoallv"},
    {"alltoall"},
    {"allgather"},
    {"reduce_scatter"},
    {"persistent"},
    {"post_again"},
    {"init_only"},
    {"in_place"},
    {"wait"},
    {"progress"},
    {"renew"},
    {"drop"},
    {"make_cycle"},
    {"collect"},
    {"start_thread"},
    {"new_team"},
    {"sleep"},
}};

/// How long a job is.
struct Shape {
  std::uint32_t slots = 10;
  std::uint32_t closing_slots = 0;  ///< More, while no collective is among them.
  bool blocking = false;            ///< Each collective is waited for before the next op.
  std::uint32_t thread_count = 0;   ///< Progress threads of each rank from the start.
};
inline constexpr std::uint32_t kSlotCountLimit = 32;
static_assert(kSlotCountLimit <= targets::alltoallv::kRequestLimit);

/// The axes of a config, by index.
enum Axis : std::size_t { kConcurrentAxis, kRanksAxis, kCloseAxis };
std::uint32_t rank_count(const harness::Config& config);
std::uint32_t slot_count(const harness::Config& config);

void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);
/// The same with a path that is no variant.
using Maker = targets::alltoallv::Alltoallv* (*)(harness::Runtime&,
                                                 const targets::alltoallv::Setup&);
void drive_path(harness::Scene& scene, const Shape& shape, Maker make);

int window_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::alltoallv
