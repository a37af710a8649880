// SPDX-License-Identifier: Apache-2.0
// Whole files: written whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// Throws as write_whole_file() would for what is at `file` now and for the folder that it is in;
/// leaves both as they are.
void require_replaceable(const std::string& file);

/// When a file must be on the disk, so that it outlives a loss of power.
enum class OnDisk : unsigned char {
  now,
  later,  ///< Its content stands elsewhere, too.
};

/// Writes a file whole or not at all. Replaces a regular file and keeps its mode; never what is
/// none (a link, a pipe, a device), and none that is read-only. Errors: std::runtime_error with one
/// line; nothing is left behind.
void write_whole_file(const std::string& file, std::string_view content,
                      OnDisk on_disk = OnDisk::now);

}  // namespace harness
