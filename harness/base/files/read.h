// SPDX-License-Identifier: Apache-2.0
// Reads whole files, with a bound on their size.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace harness {

/// A kind of file: its name in messages ("reproducer"), and its largest size.
struct FileKind {
  std::string_view name = "file";
  std::size_t byte_limit = std::numeric_limits<std::size_t>::max();
};

/// Reads a whole file. Errors: std::runtime_error with one line if it cannot be opened or read, is
/// a folder, or is larger than its kind allows. Reads no further than the limit.
std::string read_whole_file(const std::string& file, FileKind kind = {});

/// Reads up to `byte_count` bytes from the beginning of a file; none if it cannot be read. Does not
/// wait for a pipe.
std::string read_begin(const std::string& file, std::size_t byte_count);

}  // namespace harness
