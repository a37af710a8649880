// Interpreters: the Pythons that a test can run scripts with.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace harness::testing {

/// Returns the one of the path, and those of pyenv from 3.10 on.
inline std::vector<std::string> interpreters() {
  namespace fs = std::filesystem;
  std::vector<std::string> found{"python3"};
  const char* home = std::getenv("HOME");
  std::error_code none;
  for (const auto& version :
       fs::directory_iterator(fs::path(home != nullptr ? home : "/") / ".pyenv/versions", none))
    if (version.path().filename().string().starts_with("3.1"))
      found.push_back(version.path() / "bin/python3");
  std::ranges::sort(found);
  return found;
}

}  // namespace harness::testing
