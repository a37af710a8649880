// SPDX-License-Identifier: Apache-2.0
// Content cache: files generated from a text, each named by a hash of everything that went into it.
//
// Threads, processes: any number. A file appears completely or not at all: its writer writes a
// draft in the same folder, and renames it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace harness {

class ContentCache {
 public:
  /// Finds a folder that belongs to this user: the one in the environment variable
  /// AFTERLIFE_PTX_CACHE, else afterlife/ptx in the user's cache. Errors: std::runtime_error.
  ContentCache();

  /// Returns the folder.
  const std::string& folder() const { return folder_; }
  /// Returns the file name for a text and everything else that the result depends on.
  std::string file_for(std::string_view identity, std::string_view text,
                       std::string_view suffix) const;
  /// Returns whether the file exists, and marks it as used.
  bool has(const std::string& file) const;
  /// Removes the least recently used files until the folder has at most this many bytes. Files in
  /// use and fresh drafts stay. Code that finds a file missing makes it again.
  void bound(std::uintmax_t bytes = kByteLimit) const;

  static constexpr std::uintmax_t kByteLimit = std::uintmax_t{1} << 30;
  /// Part of the name of an unfinished file. Such a file may be removed after a day.
  static constexpr std::string_view kDraft = "draft";

 private:
  std::string folder_;
};

}  // namespace harness
