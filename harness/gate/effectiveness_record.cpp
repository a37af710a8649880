// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/effectiveness_record.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <stdexcept>

#include "harness/base/files/fail.h"
#include "harness/base/files/read.h"

namespace harness::gate {
namespace {

constexpr std::string_view kVersion = "afterlife_effectiveness 1";
constexpr FileKind kKind{"record of searches", std::size_t{1} << 28};
constexpr std::string_view kNothing = "-";

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Returns the positive number in the word, or 0.
std::uint64_t number_of(std::string_view word) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && rest == word.data() + word.size() ? number : 0;
}

[[noreturn]] void refuse(const std::string& file, std::size_t line, std::string_view why) {
  fail(file, fmt::format("line {} {}", line, why));
}

}  // namespace

EffectivenessRecord::EffectivenessRecord(const std::string& file) {
  std::istringstream in(read_whole_file(file, kKind));
  std::size_t number = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    const std::vector<std::string> words = words_of(line);
    ++number;
    if (number == 1 && line != kVersion) refuse(file, number, "is not the first of a record");
    if (number == 2) {
      if (words.size() == 2) limit_ = number_of(words[1]);
      if (limit_ == 0) refuse(file, number, "names no strategy and limit");
      strategy_ = words[0];
    }
    if (number == 3) add_names(words);
    if (number == 3 && windows_.empty()) refuse(file, number, "names no window");
    if (number > 3 && !add_searches(words))
      refuse(file, number, "does not contain the searches of all windows with the next number");
  }
  if (number < 3) fail(file, "contains no record of searches");
}

void EffectivenessRecord::add_names(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos) return windows_.clear();
    windows_.emplace_back(word.substr(0, colon), word.substr(colon + 1));
  }
}

bool EffectivenessRecord::add_searches(const std::vector<std::string>& words) {
  constexpr std::size_t kFirst = 2;
  if (words.size() != kFirst + windows_.size()) return false;
  NumberedSearches searches{number_of(words[1]), {}};
  if (searches.number == 0) return false;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const std::string& word = words[kFirst + i];
    const std::uint64_t run = number_of(word);
    if ((run == 0 && word != kNothing) || run > limit_) return false;
    searches.variants[windows_[i].first].windows[windows_[i].second].run = run;
  }
  std::vector<NumberedSearches>& all = programs_[words[0]];
  if (!all.empty() && searches.number != all.back().number + 1) return false;
  all.push_back(std::move(searches));
  return true;
}

const std::vector<NumberedSearches>& EffectivenessRecord::of(const std::string& program) const {
  static const std::vector<NumberedSearches> kNone;
  const auto found = programs_.find(program);
  return found != programs_.end() ? found->second : kNone;
}

SideSample EffectivenessRecord::side(const std::string& program, std::size_t begin,
                                     std::size_t count) const {
  const std::vector<NumberedSearches>& all = of(program);
  SideSample side{strategy_, all.at(begin).number, limit_, {}};
  for (std::size_t i = begin; i < begin + count; ++i)
    for (const auto& [variant, search] : all.at(i).variants)
      side.variants[variant].push_back(search);
  return side;
}

}  // namespace harness::gate
