// SPDX-License-Identifier: Apache-2.0
// Whole files: written completely or not at all.
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// Throws if write_whole_file() would fail because of the present file or its folder. Changes
/// neither.
void require_replaceable(const std::string& file);

/// When a file must be on the disk to survive a loss of power.
enum class OnDisk : unsigned char {
  now,
  later,  ///< Later is enough, because its content is stored elsewhere, too.
};

/// Writes a file completely or not at all. Replaces a regular file and keeps its mode. Never
/// replaces a link, a pipe or a device, or a read-only file. Errors: std::runtime_error with one
/// line; nothing is left behind.
void write_whole_file(const std::string& file, std::string_view content,
                      OnDisk on_disk = OnDisk::now);

}  // namespace harness
