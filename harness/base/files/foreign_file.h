// SPDX-License-Identifier: Apache-2.0
// Foreign file: a file that another program may have made: a shard, a plan, an export, a history, a
// reproducer, a finding of `afterlife run`. Only this class opens them (scripts/checks/foreign.py).
//
// It must be a regular file, not a folder, a pipe or a device, and has at most 16 MiB, or lines of
// at most 16 MiB each. A link is followed only if the user named it: a link inside a folder may
// lead anywhere.
//
// Errors: std::runtime_error with one line that begins with the file's name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

class ForeignFile {
 public:
  static constexpr std::size_t kByteLimit = std::size_t{16} << 20;

  /// Opens a file that the user named. `kind` is its name in messages ("reproducer").
  static ForeignFile named_by_user(const std::string& file, std::string_view kind);
  /// Opens a file in a folder that the user named. `name` was read from a file. It must be one
  /// plain name, or two with a slash between them. No link is followed below the folder.
  static ForeignFile in_folder(const std::string& folder, const std::string& name,
                               std::string_view kind);
  ~ForeignFile();
  ForeignFile(ForeignFile&& other) noexcept;
  ForeignFile& operator=(ForeignFile&&) = delete;

  /// Reads the whole file.
  std::string text();
  /// Reads the beginning: up to `byte_count` bytes.
  std::string begin(std::size_t byte_count);
  /// Reads the next line, without its end. Returns false at the end of the file.
  bool next_line(std::string& line);

 private:
  /// Takes a descriptor that was opened with O_PATH. The file must be regular.
  ForeignFile(int place, std::string file, std::string_view kind);

  bool read_block();
  [[noreturn]] void fail_by_size(std::string_view what) const;

  std::string file_;
  std::string kind_;
  int number_ = -1;
  std::size_t size_ = 0;
  std::string block_;         ///< Bytes that next_line() has read ahead.
  std::size_t block_at_ = 0;  ///< Number of these bytes that it has returned.
};

/// Refuses a link or a device at a path in another owner's folder. A missing file is accepted.
void require_no_link(const std::string& place);

/// Refuses anything but a regular file. For files that were found in a folder.
void require_regular_file(const std::string& file);

}  // namespace harness
