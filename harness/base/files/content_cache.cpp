// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/content_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace harness {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Returns whether a folder belongs to this user and only this user may write to it.
bool is_own(const std::string& folder) {
  struct stat found{};
  return ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid() && (found.st_mode & 022) == 0;
}

std::string find_folder() {
  std::vector<std::string> candidates;
  if (const std::string wanted = variable("AFTERLIFE_PTX_CACHE"); !wanted.empty())
    candidates = {wanted};
  else if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    candidates.push_back(cache + "/afterlife/ptx");
  else if (const std::string home = variable("HOME"); !home.empty())
    candidates.push_back(home + "/.cache/afterlife/ptx");
  candidates.push_back(fmt::format("/tmp/afterlife-ptx-{}", ::geteuid()));
  for (const std::string& folder : candidates) {
    std::error_code error;
    fs::create_directories(fs::path(folder).parent_path(), error);
    ::mkdir(folder.c_str(), 0700);
    if (is_own(folder) && ::access(folder.c_str(), W_OK) == 0) return folder;
  }
  throw std::runtime_error(
      "no folder for compiled kernels: set AFTERLIFE_PTX_CACHE to one of your own");
}

std::uint64_t hash(std::string_view text, std::uint64_t state) {
  for (const char c : text) {
    state ^= static_cast<unsigned char>(c);
    state *= 0x100000001b3;
    state ^= state >> 29;
  }
  return state;
}

struct Entry {
  fs::file_time_type used;
  fs::path path;
  std::uintmax_t bytes;
};

std::vector<Entry> entries_of(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    std::error_code gone;  // Another process may have removed it.
    const Entry entry{file.last_write_time(gone), file.path(), file.file_size(gone)};
    if (!gone) entries.push_back(entry);
  }
  return entries;
}

/// Returns whether another process has used the file since it was listed, or may still be writing
/// it.
bool is_in_use(const Entry& entry) {
  std::error_code gone;
  const fs::file_time_type used = fs::last_write_time(entry.path, gone);
  if (gone) return false;
  const bool is_draft =
      entry.path.filename().string().find(ContentCache::kDraft) != std::string::npos;
  constexpr std::chrono::hours kDay{24};
  return used != entry.used || (is_draft && fs::file_time_type::clock::now() - used < kDay);
}

}  // namespace

ContentCache::ContentCache() : folder_(find_folder()) {}

std::string ContentCache::file_for(std::string_view identity, std::string_view text,
                                   std::string_view suffix) const {
  const std::uint64_t first = hash(text, hash(identity, 0xcbf29ce484222325));
  const std::uint64_t second = hash(identity, hash(text, 0x9e3779b97f4a7c15));
  return fmt::format("{}/{:016x}{:016x}{}", folder_, first, second, suffix);
}

bool ContentCache::has(const std::string& file) const {
  if (::access(file.c_str(), R_OK) != 0) return false;
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return true;
}

void ContentCache::bound(std::uintmax_t limit) const {
  std::vector<Entry> entries = entries_of(folder_);
  std::uintmax_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (bytes <= limit) return;
    if (is_in_use(entry)) continue;
    std::error_code gone;
    fs::remove(entry.path, gone);
    bytes -= entry.bytes;
  }
}

}  // namespace harness
