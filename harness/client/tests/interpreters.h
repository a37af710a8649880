// SPDX-License-Identifier: Apache-2.0
// Interpreters: the Pythons that a test can run scripts with.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace harness::testing {

/// Versions of Python that tests treat alike.
enum class Interpreters { old, supported, free_threaded };

/// Returns what a version of pyenv is: "3.9.18", "3.13.0", "3.13.0t".
inline Interpreters kind_of(const std::string& version) {
  if (!version.starts_with("3.1")) return Interpreters::old;
  return version.ends_with('t') ? Interpreters::free_threaded : Interpreters::supported;
}

/// Returns the interpreters of pyenv of a kind.
inline std::vector<std::string> pyenv_interpreters(Interpreters kind) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  const char* home = std::getenv("HOME");
  std::error_code none;
  for (const auto& version :
       fs::directory_iterator(fs::path(home != nullptr ? home : "/") / ".pyenv/versions", none)) {
    const std::string program = version.path() / "bin/python3";
    if (kind_of(version.path().filename()) == kind && fs::exists(program)) found.push_back(program);
  }
  std::ranges::sort(found);
  return found;
}

/// Returns the one of the path, and those of pyenv from 3.10 on.
inline std::vector<std::string> interpreters() {
  std::vector<std::string> found = pyenv_interpreters(Interpreters::supported);
  found.emplace_back("python3");
  std::ranges::sort(found);
  return found;
}

/// Returns those of pyenv that lack what asks them, which 3.9 has.
inline std::vector<std::string> old_interpreters() {
  std::vector<std::string> found = pyenv_interpreters(Interpreters::old);
  std::erase_if(found, [](const std::string& one) { return one.find("/3.9.") != one.npos; });
  return found;
}

}  // namespace harness::testing
