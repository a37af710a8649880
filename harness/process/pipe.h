// SPDX-License-Identifier: Apache-2.0
// Pipe: both ends of one, closed in the end; a program that begins does not get them.
#pragma once

#include <array>
#include <cstddef>

namespace harness {

/// Errors: std::runtime_error if there cannot be another.
struct Pipe {
  std::array<int, 2> ends{-1, -1};  ///< To read from, and to write to; -1 where it is closed.

  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  /// Closes one end, unless it is closed.
  void close(std::size_t end);
};

}  // namespace harness
