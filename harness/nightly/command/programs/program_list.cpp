// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/programs/program_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "harness/base/files/foreign_file.h"
#include "harness/base/files/plain_name.h"
#include "harness/base/printable.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsByDefault = 60;
constexpr double kMostSeconds = 1e7;
constexpr std::int64_t kMostRuns = 1'000'000'000;
constexpr std::int64_t kMostJobs = 1024;
constexpr std::array kKeys{"name", "command",  "folder", "seconds",      "runs",       "timeout",
                           "jobs", "failures", "forced", "suppressions", "environment"};

/// One table of the list.
class Entry {
 public:
  Entry(const std::string& file, const toml::table& table) : file_(file), table_(table) {
    for (const auto& [key, value] : table)
      if (std::ranges::find(kKeys, key.str()) == kKeys.end())
        refuse(value, fmt::format("unknown key '{}'; a program may have: {}", shown(key.str()),
                                  fmt::join(kKeys, " ")));
  }

  [[noreturn]] void refuse(const toml::node& where, const std::string& what) const {
    throw std::runtime_error(
        fmt::format("{}:{}: {}", printable(file_), where.source().begin.line, what));
  }
  [[noreturn]] void refuse(const std::string& what) const { refuse(table_, what); }

  bool has(const char* key) const { return table_.contains(key); }

  std::string text(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return {};
    if (const auto value = node->value_exact<std::string>(); value && !value->empty())
      return *value;
    refuse(*node, fmt::format("{} is not a string", key));
  }

  bool flag(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return false;
    if (const auto value = node->value_exact<bool>()) return *value;
    refuse(*node, fmt::format("{} is neither true nor false", key));
  }

  double seconds(const char* key, double usual) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return usual;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (value && *value > 0 && *value <= kMostSeconds) return *value;
    refuse(*node, fmt::format("{} is not a number of seconds up to {:.0f}", key, kMostSeconds));
  }

  std::uint64_t count(const char* key, std::int64_t most) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return 0;
    if (const auto value = node->value_exact<std::int64_t>(); value && *value > 0 && *value <= most)
      return static_cast<std::uint64_t>(*value);
    refuse(*node, fmt::format("{} is not a whole number from 1 to {}", key, most));
  }

  Command command() const {
    Command words;
    const toml::array* array = table_.get_as<toml::array>("command");
    if (array != nullptr)
      for (const toml::node& word : *array) {
        if (!word.is_string()) refuse(word, "a word of the command is not a string");
        words.push_back(*word.value<std::string>());
      }
    if (words.empty() || words.front().empty())
      refuse("command is missing, a list of words: command = [\"./program\", \"--option\"]");
    return words;
  }

  std::vector<std::string> environment() const {
    std::vector<std::string> all;
    const toml::node* node = table_.get("environment");
    if (node == nullptr) return all;
    if (!node->is_table()) refuse(*node, "environment is not a table of strings");
    for (const auto& [key, value] : *node->as_table()) {
      if (!value.is_string() || key.str().find('=') != key.str().npos)
        refuse(value, fmt::format("'{}' of the environment is not a string", shown(key.str())));
      all.push_back(fmt::format("{}={}", key.str(), *value.value<std::string>()));
    }
    return all;
  }

 private:
  const std::string& file_;
  const toml::table& table_;
};

NightProgram program_of(const Entry& entry, const fs::path& base) {
  NightProgram program;
  program.name = entry.text("name");
  if (!is_plain_name(program.name))
    entry.refuse(
        fmt::format("the name '{}' cannot be used in file names, and findings are named after it",
                    shown(program.name)));
  program.command = entry.command();
  program.folder = (base / entry.text("folder")).lexically_normal().string();
  if (!fs::is_directory(program.folder))
    entry.refuse(fmt::format("{}: no such folder", printable(program.folder)));
  if (entry.has("runs") && entry.has("seconds")) entry.refuse("give either runs or seconds");
  program.runs = entry.count("runs", kMostRuns);
  if (program.runs == 0) program.seconds = entry.seconds("seconds", kSecondsByDefault);
  program.timeout_seconds = entry.seconds("timeout", program.timeout_seconds);
  program.jobs = std::max(1U, static_cast<unsigned>(entry.count("jobs", kMostJobs)));
  program.failures = entry.flag("failures");
  program.forced = entry.flag("forced");
  if (const std::string file = entry.text("suppressions"); !file.empty())
    program.suppressions = (base / file).lexically_normal().string();
  program.environment = entry.environment();
  return program;
}

toml::table parsed(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(fmt::format("{}:{}: {}", printable(file), error.source().begin.line,
                                         printable(error.description())));
  }
}

}  // namespace

std::vector<NightProgram> read_programs(const std::string& file) {
  std::vector<NightProgram> programs;
  if (file.empty()) return programs;
  const toml::table list =
      parsed(ForeignFile::named_by_user(file, "list of programs").text(), file);
  const toml::array* tables = list.get_as<toml::array>("program");
  if (tables == nullptr || tables->empty() || !tables->is_homogeneous<toml::table>() ||
      list.size() != 1)
    throw std::runtime_error(
        fmt::format("{}: expected programs and nothing else: [[program]]", printable(file)));
  for (const toml::node& node : *tables) {
    const Entry entry(file, *node.as_table());
    programs.push_back(program_of(entry, fs::absolute(file).parent_path()));
    const NightProgram& last = programs.back();
    if (std::ranges::count(programs, last.name, &NightProgram::name) > 1)
      entry.refuse(fmt::format("two programs are named '{}'", last.name));
    if ((last.runs > 0) != (programs.front().runs > 0))
      entry.refuse("one program has runs, another seconds: use the same unit for all");
  }
  return programs;
}

const NightProgram& program_named(std::span<const NightProgram> programs, const std::string& name) {
  const auto found = std::ranges::find(programs, name, &NightProgram::name);
  if (found == programs.end())
    throw std::runtime_error(
        fmt::format("the night has a program '{}', which is not in the list of --programs: use the "
                    "list of its plan",
                    shown(name)));
  return *found;
}

}  // namespace harness::entries
