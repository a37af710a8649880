// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/unexpected.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "harness/base/suggest.h"

namespace harness::entries {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool is_known(std::string_view name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns "--runs" for "--runs=3"; "" for a word that is not an option.
std::string option_name(std::string_view word) {
  const bool is_option = word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
  return is_option ? std::string(word.substr(0, word.find('='))) : "";
}

const CLI::App* command_named(const CLI::App& app, std::string_view name) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == name) return command;
  return nullptr;
}

/// Returns whether the next word is the value of this option.
bool takes_value(const CLI::App& command, std::string_view word) {
  if (word.find('=') != word.npos) return false;
  const CLI::Option* option = command.get_option_no_throw(std::string(word));
  return option != nullptr && option->get_items_expected_max() > 0;
}

std::string no_such(const CLI::App& command, bool is_all, std::string_view word,
                    const std::vector<std::string>& known) {
  const std::string meant = did_you_mean(word, known);
  return fmt::format("there is no command '{}{}'{}", is_all ? "" : command.get_name() + " ", word,
                     meant.empty() ? fmt::format("; available: {}", fmt::join(known, " ")) : meant);
}

}  // namespace

std::string unexpected(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return {};
    if (const std::string name = option_name(word); !name.empty()) {
      const std::vector<std::string> known = options_of(*command);
      if (!is_known(name, known))
        return fmt::format("{} has no option '{}'{}", command->get_name(), name,
                           did_you_mean(name, known));
      if (takes_value(*command, word)) ++i;
    } else if (const std::vector<std::string> parts = commands_of(*command); !parts.empty()) {
      const CLI::App* part = command_named(*command, word);
      if (part == nullptr) return no_such(*command, command == &app, word, parts);
      command = part;
    }
  }
  return {};
}

std::string variant_meant(const CLI::App& command) {
  const CLI::Option* target = command.get_option_no_throw("target");
  const std::vector<std::string> rest = command.remaining();
  if (target == nullptr || rest.size() != 1 || target->results().size() != 1) return {};
  return fmt::format("; did you mean '{}/{}'?", target->results().front(), rest.front());
}

}  // namespace harness::entries
