// SPDX-License-Identifier: Apache-2.0
// Resources: what a process takes and where it runs, as a night records it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace harness::entries {

/// Counts the instructions of the thread that made it, in user mode, by the processor's own
/// counter. Ownership: owns its file descriptor.
class InstructionCounter {
 public:
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  /// Returns those so far; 0 if this machine counts none, or does not let us.
  std::uint64_t count() const;

 private:
  int file_;
};

/// Returns the most memory that this process had, in bytes.
std::uint64_t peak_bytes();

/// Returns how many cores this process may use; 1 at least.
std::size_t core_count();

/// Returns the class of this machine and build, in words: "AMD EPYC 7R32, 2 cores, clang 19.1.7".
std::string machine_class();

}  // namespace harness::entries
