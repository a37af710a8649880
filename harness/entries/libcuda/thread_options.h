// Thread options: who of Python's threads goes on, as the options of a question.
#pragma once

#include <cstdint>
#include <span>

#include "harness/entries/libcuda/python/baton.h"
#include "harness/pick.h"

namespace harness::entries {

/// They are named after the threads; the first is the plain one. Lifetime: that of the threads.
class ThreadOptions final : public Options {
 public:
  explicit ThreadOptions(std::span<BatonThread* const> threads) : threads_(threads) {}
  std::uint32_t value(std::uint32_t index) const override {
    return index == 0 ? 0 : value_of(*threads_[index]);
  }
  /// Returns the name of a thread on a tape.
  static std::uint32_t value_of(const BatonThread& thread) {
    return static_cast<std::uint32_t>(thread.name) | 1;
  }

 private:
  std::span<BatonThread* const> threads_;
};

}  // namespace harness::entries
