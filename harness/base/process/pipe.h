// SPDX-License-Identifier: Apache-2.0
// Pipe: both ends of a pipe, closed by the destructor. Started programs do not inherit them.
#pragma once

#include <array>
#include <cstddef>

namespace harness {

/// Errors: std::runtime_error if the pipe cannot be created.
struct Pipe {
  std::array<int, 2> ends{-1, -1};  ///< The read end and the write end; -1 if closed.

  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  /// Closes one end, unless it is closed already.
  void close(std::size_t end);
};

}  // namespace harness
