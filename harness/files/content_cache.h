// SPDX-License-Identifier: Apache-2.0
// Content cache: files that were made from a text once, each under a hash of all that went into it.
//
// Threads, processes: any number of both. A file appears whole or not at all: who makes one writes
// it under its own name, in the folder, and renames it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace harness {

class ContentCache {
 public:
  /// Finds a folder of this user's: that which the environment's AFTERLIFE_PTX_CACHE names, else
  /// afterlife/ptx in the user's cache. Errors: std::runtime_error.
  ContentCache();

  /// Returns the folder.
  const std::string& folder() const { return folder_; }
  /// Returns the file for a text and all else that the result depends on.
  std::string file_for(std::string_view identity, std::string_view text,
                       std::string_view suffix) const;
  /// Returns whether the file is there, and notes that it was used.
  bool has(const std::string& file) const;
  /// Removes the files that were not used for longest until the folder has no more bytes than that.
  /// One that something uses meanwhile stays, and so does what something is about to write; code
  /// that finds a file gone makes it again.
  void bound(std::uintmax_t bytes = kByteLimit) const;

  static constexpr std::uintmax_t kByteLimit = std::uintmax_t{1} << 30;
  /// A file whose name has this is not finished. It goes once a day has passed.
  static constexpr std::string_view kDraft = "draft";

 private:
  std::string folder_;
};

}  // namespace harness
