// SPDX-License-Identifier: Apache-2.0
// JIT log: buffers of the program for messages of a load or link, from options of cuda.h.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string_view>

namespace harness::devices {

/// A buffer of the program to which messages are appended, and an option value that receives the
/// number of bytes used. Lifetime: the program owns both, and must keep them.
class JitLog {
 public:
  void give(void* buffer) { buffer_ = static_cast<char*>(buffer); }
  void limit(void** bytes);
  /// Appends a line, as far as there is room. The text ends with a zero.
  void add(std::string_view line);
  /// Stores the number of bytes used in the option value, if there is one.
  void tell() const;

 private:
  char* buffer_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  void** used_out_ = nullptr;
};

/// Returns whether the options are valid: as many as stated, and no more than cuda.h has.
inline bool are_jit_options(unsigned count, const CUjit_option* options, void* const* values) {
  return count == 0 || (options != nullptr && values != nullptr && count <= CU_JIT_NUM_OPTIONS);
}

/// The logs among the options of a load.
struct JitLogs {
  JitLogs(unsigned count, const CUjit_option* options, void** values);
  /// Completes both logs at the end of the load, with an error or without one ("").
  void end(std::string_view error);

  JitLog errors;
  JitLog information;
};

}  // namespace harness::devices
