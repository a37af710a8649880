// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/benchmark_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "harness/base/printable.h"

namespace harness::gate {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

double nanoseconds_in(const std::string& unit) {
  static const std::map<std::string, double> kUnits{
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const auto known = kUnits.find(unit);
  if (known == kUnits.end())
    refuse(
        fmt::format("printed times in '{}', which is not a unit of Google Benchmark", shown(unit)));
  return known->second;
}

double checked(const std::string& name, double value) {
  if (std::isfinite(value) && value > 0) return value;
  refuse(
      fmt::format("printed {} for benchmark '{}': times must be above zero; did its clock go back?",
                  value, shown(name)));
}

/// Adds a value. Of several values with the same name, the least counts.
void add(Reading& reading, const std::string& name, double value) {
  const auto [known, is_new] = reading.emplace(name, checked(name, value));
  if (!is_new) known->second = std::min(known->second, value);
}

/// Takes one row of Google Benchmark. Aggregates are ignored.
void take(Reading& reading, const json& row) {
  if (row.value("run_type", "iteration") != "iteration") return;
  const std::string name = row.value("run_name", row.at("name").get<std::string>());
  if (row.value("error_occurred", false))
    refuse(fmt::format("failed in benchmark '{}': {}", shown(name),
                       shown(row.value("error_message", "no reason given"))));
  const double scale = nanoseconds_in(row.value("time_unit", "ns"));
  add(reading, name, row.at("real_time").get<double>() * scale);
}

// ---- NVBench ------------------------------------------------------------------------------------

/// The times in a state by which it can be judged, the best first.
constexpr std::array kTimes{"nv/cold/time/gpu/min",     "nv/cold/time/gpu/mean",
                            "nv/cold/time/cpu/min",     "nv/cold/time/cpu/mean",
                            "nv/cpu_only/time/cpu/min", "nv/cpu_only/time/cpu/mean"};

/// Returns the number in a summary. NVBench may write it as text.
double seconds_in(const json& summary) {
  for (const json& one : summary.at("data"))
    if (one.at("name") == "value") {
      const json& value = one.at("value");
      return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
    }
  refuse("printed a time of NVBench without a value");
}

void take_state(Reading& reading, const std::string& benchmark, const json& state) {
  if (state.value("is_skipped", false)) return;
  const std::string words = state.value("name", state.value("description", ""));
  const std::string name = words.empty() ? benchmark : benchmark + " " + words;
  for (const char* time : kTimes)
    for (const json& summary : state.at("summaries"))
      if (summary.at("tag") == time) return add(reading, name, seconds_in(summary) * 1e9);
  refuse(fmt::format("printed no time for '{}' of NVBench", shown(name)));
}

// ---- lines --------------------------------------------------------------------------------------

/// Returns the number if it is the whole word.
std::optional<double> number_in(std::string_view word) {
  double number = 0;
  const auto [rest, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failed != std::errc{} || rest != word.data() + word.size()) return std::nullopt;
  return number;
}

/// Returns whether it may be a benchmark's name: a second number is not a name.
bool is_name(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char one) { return std::isalpha(one) != 0; });
}

/// Takes a line with one number at its end or its beginning; the rest is its name.
void take_line(Reading& reading, std::string_view line) {
  constexpr std::string_view kBetween = " \t:=";
  if (const auto number = number_in(line)) return add(reading, std::string(kNumberName), *number);
  const std::size_t first = line.find_first_of(kBetween), last = line.find_last_of(kBetween);
  if (last != line.npos) {
    const std::size_t name_end = line.find_last_not_of(kBetween, last);
    const std::size_t name_begin = line.find_first_not_of(kBetween, first);
    if (const auto number = number_in(line.substr(last + 1));
        number && is_name(line.substr(0, name_end + 1)))
      return add(reading, std::string(line.substr(0, name_end + 1)), *number);
    if (const auto number = number_in(line.substr(0, first));
        number && name_begin != line.npos && is_name(line.substr(name_begin)))
      return add(reading, std::string(line.substr(name_begin)), *number);
  }
  refuse(
      fmt::format("printed neither JSON of Google Benchmark or NVBench nor lines of numbers, but "
                  "'{}'",
                  shown(line)));
}

Reading read_lines(std::string_view text) {
  Reading reading;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const std::string_view line = trimmed(text.substr(0, end)); !line.empty())
      take_line(reading, line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reading;
}

Reading read_json(const json& parsed) {
  Reading reading;
  try {
    for (const json& row : parsed.at("benchmarks"))
      if (row.contains("states"))
        for (const json& state : row.at("states"))
          take_state(reading, row.at("name").get<std::string>(), state);
      else
        take(reading, row);
  } catch (const json::exception&) {
    refuse("printed JSON that is neither Google Benchmark's nor NVBench's");
  } catch (const std::logic_error&) {
    refuse("printed a time of NVBench that is not a number");
  }
  if (reading.empty()) refuse("printed JSON without a benchmark");
  return reading;
}

}  // namespace

Reading read_output(std::string_view text) {
  const std::string_view all = trimmed(text);
  if (all.empty()) refuse("printed nothing on stdout");
  if (all.front() != '{') return read_lines(all);
  const json parsed = json::parse(all, nullptr, false);
  if (!parsed.is_object()) refuse("printed JSON that is cut off or damaged");
  return read_json(parsed);
}

}  // namespace harness::gate
