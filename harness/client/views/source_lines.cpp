// SPDX-License-Identifier: Apache-2.0
#include "harness/client/views/source_lines.h"

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "harness/base/printable.h"

namespace harness::reports {
namespace {

std::vector<std::string> read_lines(const std::string& name) {
  constexpr std::size_t kLineLimit = 100'000;
  constexpr std::uintmax_t kByteLimit = std::uintmax_t{16} << 20;
  std::vector<std::string> lines;
  std::error_code none;  // The name comes from a program, and may be that of a device or a pipe.
  if (!std::filesystem::is_regular_file(name, none)) return lines;
  if (std::filesystem::file_size(name, none) > kByteLimit) return lines;
  std::ifstream file(name);
  for (std::string line; lines.size() < kLineLimit && std::getline(file, line);)
    lines.push_back(std::move(line));
  return lines;
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

std::string SourceLines::at(const std::string& file, int line) {
  const auto [known, is_new] = files_.try_emplace(file);
  if (is_new) known->second = read_lines(file);
  const std::vector<std::string>& lines = known->second;
  const auto index = static_cast<std::size_t>(line) - 1;
  return line > 0 && index < lines.size() ? printable(trimmed(lines[index])) : "";
}

}  // namespace harness::reports
