// JIT options: what a program tells the JIT linker beside its input, and where it wants its words.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace harness::entries {

/// A buffer of the program's that messages are added to, and the place where it is told how much of
/// it is in use.
class JitLog {
 public:
  void give(void* buffer) { buffer_ = static_cast<char*>(buffer); }
  void limit(void** bytes);
  /// Adds a line, as far as there is room. A zero is behind the last.
  void add(std::string_view line);
  /// Says how much there is, where the program can be told.
  void tell() const;

 private:
  char* buffer_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  void** told_ = nullptr;
};

/// The options that a linker is made with. They point into the program's memory, which has to stay.
struct JitOptions {
  JitLog errors;
  JitLog information;
  void** wall_time = nullptr;
  std::vector<const void*> outputs;  ///< Where the linker writes.
  bool is_verbose = false;

  /// Reads them. Those that make no difference here are accepted. Returns CUDA_ERROR_INVALID_VALUE
  /// for one that there is not, or that is not for linking.
  CUresult read(unsigned count, const CUjit_option* options, void** values);
  /// Adds to the time that the program is told.
  void took(float milliseconds);
};

/// Returns whether each may be given with one input.
bool are_for_an_input(unsigned count, const CUjit_option* options);

}  // namespace harness::entries
