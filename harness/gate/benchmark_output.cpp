#include "harness/gate/benchmark_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/printable.h"

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
    refuse(fmt::format("printed times in '{}', which is no unit of Google Benchmark", shown(unit)));
  return known->second;
}

double checked(const std::string& name, double value) {
  if (std::isfinite(value) && value > 0) return value;
  refuse(fmt::format("printed {} for benchmark '{}': a time is above zero; did its clock go back?",
                     value, shown(name)));
}

/// Takes one row of Google Benchmark's; one that sums others up is passed over.
void take(Reading& reading, const json& row) {
  if (row.value("run_type", "iteration") != "iteration") return;
  const std::string name = row.value("run_name", row.at("name").get<std::string>());
  if (row.value("error_occurred", false))
    refuse(fmt::format("failed in benchmark '{}': {}", shown(name),
                       shown(row.value("error_message", "no reason given"))));
  const double scale = nanoseconds_in(row.value("time_unit", "ns"));
  const double value = checked(name, row.at("real_time").get<double>() * scale);
  const auto [known, is_new] = reading.emplace(name, value);
  if (!is_new) known->second = std::min(known->second, value);
}

Reading read_json(const json& parsed) {
  Reading reading;
  try {
    for (const json& row : parsed.at("benchmarks")) take(reading, row);
  } catch (const json::exception&) {
    refuse("printed JSON that is not Google Benchmark's");
  }
  if (reading.empty()) refuse("printed the JSON of no benchmark");
  return reading;
}

}  // namespace

Reading read_output(std::string_view text) {
  const std::string_view all = trimmed(text);
  if (all.empty()) refuse("printed nothing on stdout");
  double number = 0;
  const auto [rest, failed] = std::from_chars(all.data(), all.data() + all.size(), number);
  if (failed == std::errc{} && rest == all.data() + all.size())
    return {{std::string(kNumberName), checked("value", number)}};
  const json parsed = json::parse(all, nullptr, false);
  if (!parsed.is_object())
    refuse(fmt::format("printed neither Google Benchmark's JSON nor one number, but '{}'",
                       shown(all.substr(0, all.find('\n')))));
  return read_json(parsed);
}

}  // namespace harness::gate
