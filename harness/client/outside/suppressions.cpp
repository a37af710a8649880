// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/suppressions.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "harness/base/files/read.h"
#include "harness/base/printable.h"
#include "harness/client/outside/search/failure.h"
#include "harness/core/fault/former_words.h"

namespace harness::client {
namespace {

constexpr FileKind kFile{"file of suppressions", std::size_t{1} << 20};

bool fits(const std::string& pattern, const std::string& name) {
  return !name.empty() && ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// Returns whether the pattern matches a file name or the end of a path: "crash.py" matches
/// "/src/crash.py".
bool fits_file(const std::string& pattern, const std::string& file) {
  return fits(pattern, file) || fits("*/" + pattern, file);
}

/// Returns whether the pattern is for the file that nvcc wrote for this source: older versions
/// showed it for functions in class bodies.
bool fits_written(const std::string& pattern, const Frame& frame) {
  constexpr std::string_view kEnd = ".cudafe1.cpp", kSource = ".cu";
  std::string_view name = frame.file_name();
  if (!pattern.ends_with(kEnd) || !name.ends_with(kSource)) return false;
  name.remove_suffix(kSource.size());
  return fits_file(pattern, fmt::format("/tmp/tmpxft_00000000_00000000-0_{}{}", name, kEnd));
}

bool fits_place(const std::string& pattern, const Place& place) {
  return std::ranges::any_of(place, [&](const Frame& frame) {
    return fits(pattern, frame.function) || fits_file(pattern, frame.file) ||
           fits_written(pattern, frame);
  });
}

bool fits_fault(const Suppression& one, const ToldFault& fault) {
  const bool is_leak_of_failure = fault.kind == kLeak && one.kind == kFailure;
  if (one.kind != "*" && one.kind != fault.kind && !is_leak_of_failure) return false;
  return std::ranges::any_of(kParties, [&](const PartyInfo& info) {
    const Party& party = fault.*info.party;
    return fits(one.pattern, party.site) || fits_place(one.pattern, party.place);
  });
}

}  // namespace

Suppressions::Suppressions(const std::string& file)
    : Suppressions(parse(read_whole_file(file, kFile), file)) {}

Suppressions Suppressions::parse(const std::string& text, const std::string& file) {
  Suppressions read;
  read.file_ = file;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    Suppression one;
    std::istringstream words(line);
    words >> one.kind >> one.pattern >> std::ws;
    std::getline(words, one.reason);
    one.line = number;
    one.kind = in_current_words(one.kind);
    if (one.kind.empty() || one.kind.front() == '#') continue;
    if (one.reason.empty())
      throw std::runtime_error(fmt::format(
          "{}:{}: '{}' is not 'KIND FUNCTION_OR_FILE REASON': {}", shown(file), number, shown(line),
          one.pattern.empty() ? "the pattern is missing" : "the reason is missing"));
    read.all_.push_back(std::move(one));
  }
  return read;
}

std::size_t Suppressions::find(const ToldFault& fault) const {
  const auto found =
      std::ranges::find_if(all_, [&](const Suppression& one) { return fits_fault(one, fault); });
  return static_cast<std::size_t>(found - all_.begin());
}

std::string Suppressions::place(const Suppression& one) const {
  return fmt::format("{}:{}", shown(file_), one.line);
}

}  // namespace harness::client
