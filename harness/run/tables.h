// SPDX-License-Identifier: Apache-2.0
// Tables: every member of every plural folder. The build generates them from the folders; the
// entries create them and pass them down.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>

#include "harness/core/pick/pick.h"
#include "harness/driver/device.h"
#include "harness/run/scenario/scenario.h"

namespace harness {

struct StrategyInfo {
  Label name;
  std::string_view summary;
  std::unique_ptr<Strategy> (*make)(std::uint64_t seed);
};

/// Returns the member called `name`, or null.
template <class Info>
const Info* find(std::span<const Info* const> table, std::string_view name) {
  for (const Info* info : table)
    if (info->name.view() == name) return info;
  return nullptr;
}

}  // namespace harness

namespace harness::tables {  // The build makes them: AFTERLIFE_TABLES of
                             // scripts/cmake/tables.cmake.
std::span<const StrategyInfo* const> strategies();
/// Returns the perturbations, by name.
std::span<const ActorInfo* const> actors();
/// Returns the oracles that judge a finished run, by name.
std::span<const OracleInfo* const> oracles();
/// Returns the devices, by name.
std::span<const DeviceInfo* const> devices();
/// Returns the paths, by name.
std::span<const Scenario* const> scenarios();
}  // namespace harness::tables
