// SPDX-License-Identifier: Apache-2.0
// Thread options: the threads of the program that can run next, as the options of a choice.
#pragma once

#include <cstdint>
#include <span>

#include "harness/client/inside/libcuda/turns/baton.h"
#include "harness/core/pick/pick.h"

namespace harness::entries {

/// Their values are derived from the threads' names; the first is the default. Lifetime: that of
/// the threads.
class ThreadOptions final : public Options {
 public:
  /// `threads[0]` may be null, for a choice of none. `is_turn`: a frequent choice, in which the
  /// first thread, which makes it, can continue itself.
  explicit ThreadOptions(std::span<BatonThread* const> threads, bool is_turn = false)
      : threads_(threads), is_turn_(is_turn) {}
  bool is_turn() const { return is_turn_; }
  std::uint32_t value(std::uint32_t index) const override {
    return index == 0 ? 0 : value_of(*threads_[index]);
  }
  /// Returns the name of a thread on a tape.
  static std::uint32_t value_of(const BatonThread& thread) {
    return static_cast<std::uint32_t>(thread.name) | 1;
  }

 private:
  std::span<BatonThread* const> threads_;
  bool is_turn_;
};

}  // namespace harness::entries
