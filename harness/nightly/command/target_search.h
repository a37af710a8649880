// SPDX-License-Identifier: Apache-2.0
// Target search: searches a variant with the path's libFuzzer target, from the corpus of the
// nights.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "harness/nightly/deadline.h"
#include "harness/nightly/shard/build_search.h"

namespace harness::entries {

/// The build of the targets.
inline constexpr const char* kFuzzBuild = "fuzz";

/// Runs the target from these inputs, and writes the reproducer of a crash into the folder. Then
/// libFuzzer reduces all inputs to a minimal set with the same coverage. If the deadline ends the
/// search, the cell counts as not searched, for that reason. Errors: std::runtime_error if it
/// cannot be started.
nightly::BuildSearch search_by_target(const nightly::Cell& cell,
                                      std::span<const std::string> inputs,
                                      const std::string& folder, const nightly::Deadline& deadline,
                                      const std::atomic<bool>& stop);

}  // namespace harness::entries
