// SPDX-License-Identifier: Apache-2.0
// Call tree: each path of calls that reached an access has a number, so that an access is noted
// with its whole path at the cost of a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/base/base.h"
#include "harness/client/inside/libcuda/instrument_hooks.h"

namespace harness::entries {

/// Threads: one at a time.
class CallTree {
 public:
  /// Returns the node of the innermost call; 0 for a path without calls.
  std::uint32_t node_of(CallPath& path) {
    const std::uint32_t count = std::min(path.depth, CallPath::kMostCalls);
    std::uint32_t node = path.known_count != 0 ? path.nodes[path.known_count - 1] : 0;
    for (std::uint32_t i = path.known_count; i < count; ++i)
      path.nodes[i] = node = child(node, reinterpret_cast<std::uintptr_t>(path.calls[i]));
    path.known_count = count;
    return node;
  }

  /// Returns the return addresses, the innermost first.
  std::vector<std::uintptr_t> codes(std::uint32_t node) const {
    std::vector<std::uintptr_t> codes;
    for (; node != 0; node = calls_[node].caller) codes.push_back(calls_[node].code);
    return codes;
  }

 private:
  /// Deeper paths end with a node that exists.
  static constexpr std::size_t kMostNodes = 1 << 20;

  struct Call {
    std::uint32_t caller;
    std::uintptr_t code;
    bool operator==(const Call&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Call& call) const { return mix(call.caller, call.code); }
  };

  std::uint32_t child(std::uint32_t caller, std::uintptr_t code) {
    if (calls_.size() == kMostNodes) return caller;
    const auto [found, is_new] =
        numbers_.try_emplace({caller, code}, static_cast<std::uint32_t>(calls_.size()));
    if (is_new) calls_.push_back({caller, code});
    return found->second;
  }

  std::vector<Call> calls_{{0, 0}};  ///< By number. The first is the root.
  std::unordered_map<Call, std::uint32_t, Hash> numbers_;
};

}  // namespace harness::entries
