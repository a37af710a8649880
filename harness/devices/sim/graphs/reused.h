// SPDX-License-Identifier: Apache-2.0
// Reused: objects that are used again in the next run.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace harness::devices {

/// Ownership: owns the objects. Addresses are stable.
template <class T>
class Reused {
 public:
  void begin() { count_ = 0; }
  T& next() {
    if (count_ == objects_.size()) objects_.push_back(std::make_unique<T>());
    return *objects_[count_++];
  }

 private:
  std::vector<std::unique_ptr<T>> objects_;
  std::size_t count_ = 0;
};

}  // namespace harness::devices
