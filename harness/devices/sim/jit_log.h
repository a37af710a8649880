// SPDX-License-Identifier: Apache-2.0
// JIT log: where a program wants what a load or a link has to say, by options of cuda.h.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string_view>

namespace harness::devices {

/// A buffer of the program's that messages are added to, and the place where it is told how much of
/// it is in use. Lifetime: both are the program's, and have to stay.
class JitLog {
 public:
  void give(void* buffer) { buffer_ = static_cast<char*>(buffer); }
  void limit(void** bytes);
  /// Adds a line, as far as there is room. A zero is behind the last.
  void add(std::string_view line);
  /// Says how much there is, if the program can be reported.
  void tell() const;

 private:
  char* buffer_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  void** told_ = nullptr;
};

/// Returns whether options are there, as many as are said. There are none that count twice.
inline bool are_jit_options(unsigned count, const CUjit_option* options, void* const* values) {
  return count == 0 || (options != nullptr && values != nullptr && count <= CU_JIT_NUM_OPTIONS);
}

/// The logs among the options of a load.
struct JitLogs {
  JitLogs(unsigned count, const CUjit_option* options, void** values);
  /// Leaves both logs as they are once the load is over, with an error or without ("").
  void end(std::string_view error);

  JitLog errors;
  JitLog information;
};

}  // namespace harness::devices
