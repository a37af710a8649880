// SPDX-License-Identifier: Apache-2.0
// Files read whole, with a bound on their size.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace harness {

/// A kind of file as its messages call it ("reproducer"), and the most bytes that one has.
struct FileKind {
  std::string_view name = "file";
  std::size_t byte_limit = std::numeric_limits<std::size_t>::max();
};

/// Reads a file whole. Errors: std::runtime_error with one line where it cannot be opened or read,
/// is a folder, or is larger than its kind, of which then no more than the limit was read.
std::string read_whole_file(const std::string& file, FileKind kind = {});

/// Reads how a file begins: up to `byte_count` bytes, none if it cannot be read. Waits for no pipe.
std::string read_begin(const std::string& file, std::size_t byte_count);

}  // namespace harness
