// Interpreters: the Pythons that a test can run scripts with.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace harness::testing {

/// Returns those of pyenv that are from 3.10 on, or are not.
inline std::vector<std::string> pyenv_interpreters(bool are_old) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  const char* home = std::getenv("HOME");
  std::error_code none;
  for (const auto& version :
       fs::directory_iterator(fs::path(home != nullptr ? home : "/") / ".pyenv/versions", none)) {
    const std::string program = version.path() / "bin/python3";
    if (version.path().filename().string().starts_with("3.1") != are_old && fs::exists(program))
      found.push_back(program);
  }
  std::ranges::sort(found);
  return found;
}

/// Returns the one of the path, and those of pyenv from 3.10 on.
inline std::vector<std::string> interpreters() {
  std::vector<std::string> found = pyenv_interpreters(false);
  found.emplace_back("python3");
  std::ranges::sort(found);
  return found;
}

/// Returns those of pyenv that lack what asks them, which 3.9 has.
inline std::vector<std::string> old_interpreters() {
  std::vector<std::string> found = pyenv_interpreters(true);
  std::erase_if(found, [](const std::string& one) { return one.find("/3.9.") != one.npos; });
  return found;
}

}  // namespace harness::testing
