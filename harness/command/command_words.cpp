// SPDX-License-Identifier: Apache-2.0
#include "harness/command/command_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/base/printable.h"
#include "harness/base/process/tool.h"
#include "harness/command/exit_code.h"
#include "harness/report/html.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::string_view kDashes = "--";

/// Returns whether the word after an option is its value.
bool takes_value(const CLI::App& command, const std::string& word) {
  const CLI::Option* option = command.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

/// Returns the first word that is neither an option nor its value. Returns `end` if there is none,
/// or an option is unknown, which may have a value.
Words::const_iterator first_plain(const CLI::App& command, Words::const_iterator word,
                                  Words::const_iterator end) {
  for (; word != end; ++word) {
    if (!word->starts_with('-')) return word;
    if (command.get_option_no_throw(word->substr(0, word->find('='))) == nullptr) return end;
    if (takes_value(command, *word) && word + 1 != end) ++word;
  }
  return end;
}

/// Returns the interpreter of a script, by its first line or else its name; "" for none.
std::string interpreter_of(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  if (line.starts_with("#!")) {
    std::istringstream words(line.substr(2));
    std::string program;
    words >> program;
    if (fs::path(program).filename() == "env") words >> program;
    return fs::path(program).filename().string();
  }
  return file.ends_with(".py") ? "python3" : file.ends_with(".sh") ? "sh" : "";
}

bool is_file(const std::string& name) {
  std::error_code none;
  return fs::is_regular_file(name, none);
}

[[noreturn]] void refuse(const std::string& word, const std::string& why, const std::string& before,
                         const Words& meant) {
  throw std::runtime_error(fmt::format("cannot run '{}': {}; type: {} {}", shown(word), why, before,
                                       printable(typed(meant))));
}

}  // namespace

std::string typed(const Words& words) {
  Words quoted;
  for (const std::string& word : words) quoted.push_back(reports::shell_word(word));
  return fmt::format("{}", fmt::join(quoted, " "));
}

std::string misplaced_command(const CLI::App& app, const Words& words) {
  if (words.empty() || (words[0] != "run" && words[0] != "gate")) return {};
  const CLI::App* command = app.get_subcommand(words[0]);
  const auto dashes = std::find(words.begin(), words.end(), kDashes);
  const auto first = first_plain(*command, words.begin() + 1, dashes);
  if (first == dashes) return {};
  Words meant{"afterlife"};
  meant.insert(meant.end(), words.begin(), first);
  meant.emplace_back(kDashes);
  const bool is_pair = words[0] == "gate" && dashes - first == 2 && dashes == words.end();
  for (auto word = first; word != words.end(); ++word) {
    if (word == dashes && words[0] == "run") continue;
    meant.push_back(*word);
    if (is_pair && word == first) meant.emplace_back(kDashes);
  }
  const bool is_whole = words[0] == "run" || is_pair || dashes != words.end();
  return fmt::format(
      "put -- before {}command: {}", words[0] == "run" ? "the " : "each ",
      is_whole ? printable(typed(meant)) : "afterlife gate [OPTION...] -- BASE... -- HEAD...");
}

void require_command(const Words& command, const std::string& before) {
  const std::string& word = command.front();
  const bool is_path = word.find('/') != word.npos;
  if (is_path ? is_file(word) && ::access(word.c_str(), X_OK) == 0 : !find_tool(word).empty())
    return;
  if (!is_file(word)) {
    const std::string first = word.substr(0, word.find(' '));
    const bool is_several = first != word && (is_file(first) || !find_tool(first).empty());
    if (!is_several) return;  // Starting it fails with the system's message.
    throw UsageError(fmt::format("'{}' was quoted as one word; type: {} {}{}", shown(word), before,
                                 printable(word), command.size() > 1 ? " ..." : ""));
  }
  Words meant = command;
  if (::access(word.c_str(), X_OK) == 0) {
    meant.front() = "./" + word;
    refuse(word, "it is in this folder, and not in PATH", before, meant);
  }
  const std::string interpreter = interpreter_of(word);
  if (interpreter.empty())
    throw std::runtime_error(
        fmt::format("cannot run '{}': Permission denied; make it executable: chmod +x {}",
                    shown(word), printable(reports::shell_word(word))));
  meant.insert(meant.begin(), interpreter);
  refuse(word, "Permission denied: the script is not executable", before, meant);
}

}  // namespace harness::entries
