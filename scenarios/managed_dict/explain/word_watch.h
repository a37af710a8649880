// SPDX-License-Identifier: Apache-2.0
// Word watch: hardware watchpoints on the words of a modelled run's instances.
//
// It checks the instrumented stores: a write to a word that only the processor saw was not
// instrumented. Four registers watch the instances in turn, over as many repetitions as needed.
// Ownership: holds the registers while it exists.
#pragma once

#include "harness/core/instruments/hardware_watch.h"
#include "harness/core/instruments/watch_rota.h"
#include "scenarios/managed_dict/explain/evidence.h"

namespace scenarios::managed_dict {

class WordWatch {
 public:
  using Address = targets::managed_dict::Address;

  WordWatch(harness::instruments::WatchRota rota, HardwareSeen& seen) : rota_(rota), seen_(seen) {}

  void mapped(Address base, const std::byte* bytes) {
    base_ = base;
    bytes_ = reinterpret_cast<std::uintptr_t>(bytes);
  }
  void born(Address word);
  void died(Address word);
  /// An instrumented store was reported. Counts its write as known.
  void stored(Address address, std::uint32_t width);
  /// Counts all remaining writes as not instrumented.
  void settle() { take(0, 0); }

 private:
  std::uintptr_t place_of(Address address) const { return bytes_ + (address - base_); }
  const void* pointer_to(Address word) const {
    return reinterpret_cast<const void*>(place_of(word));
  }
  void take(std::uintptr_t store, std::uint32_t width);

  harness::instruments::WatchRota rota_;
  HardwareSeen& seen_;
  harness::instruments::HardwareWatch watch_;
  Address base_ = 0;
  std::uintptr_t bytes_ = 0;
  std::size_t born_count_ = 0;
  std::size_t taken_ = 0;  ///< Number of the watch's writes that were counted.
};

}  // namespace scenarios::managed_dict
