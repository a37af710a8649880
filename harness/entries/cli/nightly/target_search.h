// SPDX-License-Identifier: Apache-2.0
// Target search: has a path's libFuzzer target search a variant, from the corpus that nights keep.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "harness/nightly/deadline.h"
#include "harness/nightly/shard/build_search.h"

namespace harness::entries {

/// The build of the targets.
inline constexpr const char* kFuzzBuild = "fuzz";

/// Runs the target from these inputs, leaves the reproducer of a crash in the folder, and has
/// libFuzzer keep of all inputs so few as get everywhere. One that the deadline cuts off was not
/// searched, for that reason. Errors: std::runtime_error if it
/// cannot be started.
nightly::BuildSearch search_by_target(const nightly::Cell& cell,
                                      std::span<const std::string> inputs,
                                      const std::string& folder, const nightly::Deadline& deadline,
                                      const std::atomic<bool>& stop);

}  // namespace harness::entries
