// SPDX-License-Identifier: Apache-2.0
// Format of a record: a line "afterlife_canaries 1", a line with the names of the benchmarks, and a
// line per round: the load, the order in which the four sides were measured, and their times in
// nanoseconds, all benchmarks of a side together.
#include "harness/gate/canaries.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace harness::gate {
namespace {

constexpr std::string_view kVersion = "afterlife_canaries 1";
constexpr std::size_t kSideCount = 4;

[[noreturn]] void refuse(const std::string& file, std::size_t line, std::string_view why) {
  throw std::runtime_error(fmt::format("{}: line {} {}", file, line, why));
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Returns the number in the word; nothing if it is not a positive number.
double time_of(const std::string& word) {
  std::size_t read = 0;
  try {
    const double time = std::stod(word, &read);
    return read == word.size() && time < 1e18 ? time : 0;
  } catch (const std::logic_error&) {
    return 0;
  }
}

/// Parses the words of a round. Returns one without readings if they are invalid.
CanaryRound round_of(const std::vector<std::string>& names, const std::vector<std::string>& words) {
  CanaryRound round;
  if (words.size() != 2 + kSideCount * names.size()) return {};
  std::size_t next = 2;
  for (Reading CanaryRound::* side : {&CanaryRound::base, &CanaryRound::same,
                                      &CanaryRound::slower_by_1, &CanaryRound::slower_by_3})
    for (const std::string& name : names) {
      const double time = time_of(words[next++]);
      if (!(time > 0)) return {};
      (round.*side)[name] = time;
    }
  return round;
}

}  // namespace

CanaryRecord read_canaries(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("{}: cannot open it", file));
  CanaryRecord record;
  std::vector<std::string> names;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    const std::vector<std::string> words = words_of(line);
    ++number;
    if (number == 1) {
      if (line != kVersion) refuse(file, number, "is not the first of a record of canaries");
    } else if (number == 2) {
      names = words;
      if (names.empty()) refuse(file, number, "names no benchmark");
    } else {
      const CanaryRound round = round_of(names, words);
      if (round.base.empty()) refuse(file, number, "is not a round of a record of canaries");
      record[words[0]].push_back(round);
    }
  }
  if (number < 2) throw std::runtime_error(fmt::format("{}: contains no record of canaries", file));
  return record;
}

}  // namespace harness::gate
