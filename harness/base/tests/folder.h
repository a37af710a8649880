// SPDX-License-Identifier: Apache-2.0
// Folder: a temporary folder for the files of a test. Each test has its own, so that tests can run
// in parallel.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace harness {

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// A separate folder for one test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "afterlife-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

  /// Lists the files in it, sorted. A program may write there meanwhile: where one of its temporary
  /// files goes while it is looked at, the list is made again.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    while (!list_into(names)) names.clear();
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  bool list_into(std::vector<std::string>& names) const {
    std::error_code gone;
    std::filesystem::recursive_directory_iterator entry(path_, gone), end;
    for (; !gone && entry != end; entry.increment(gone)) names.push_back(entry->path().string());
    return !gone;
  }

  std::filesystem::path path_;
};

}  // namespace harness
