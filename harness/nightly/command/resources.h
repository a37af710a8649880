// SPDX-License-Identifier: Apache-2.0
// Resources: the processor and memory use of a process, and its machine, as a night records them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace harness::entries {

/// Counts the user-mode instructions of the thread that created it, with the processor's counter.
/// Ownership: owns its file descriptor.
class InstructionCounter {
 public:
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  /// Returns the number of instructions so far; 0 if the machine cannot count them, or denies it.
  std::uint64_t count() const;

 private:
  int file_;
};

/// Returns the peak memory of this process in bytes.
std::uint64_t peak_bytes();

/// Returns the number of cores that this process may use; at least 1.
std::size_t core_count();

/// Returns the machine and compiler in words: "AMD EPYC 7R32, 2 cores, clang 19.1.7".
std::string machine_class();

}  // namespace harness::entries
