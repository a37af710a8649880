// SPDX-License-Identifier: Apache-2.0
// How it works. The type name of an option or argument determines its completion: PATH[/VARIANT]
// completes the names in the tables, FILE and DIR complete file names, other types nothing. So
// options that are added elsewhere need no change here.
#include "harness/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "harness/base/suggest.h"
#include "harness/cli/footer.h"
#include "harness/client/outside/search/answers.h"
#include "harness/command/exit_code.h"
#include "harness/command/lookup.h"

namespace harness::entries {
namespace {

using Words = std::vector<std::string>;

template <class Infos>
void add_names(Words& words, const Infos& infos) {
  std::set<std::string> known(words.begin(), words.end());
  for (const auto& info : infos)
    if (known.emplace(info.name.view()).second) words.emplace_back(info.name.view());
}

template <class Info>
Words names_of(std::span<const Info* const> table) {
  Words words;
  for (const Info* info : table) words.emplace_back(info->name.view());
  return words;
}

/// Returns the possible values of this type; none if they are unknown or the shell completes them.
Words values_of(const std::string& type) {
  Words words;
  if (type == "PATH" || type == "PATH[/VARIANT]") words = names_of(tables::scenarios());
  if (type == "PATH[/VARIANT]")
    for (const Target& target : find_targets("")) words.push_back(name_of(target));
  if (type == "STRATEGY") words = names_of(tables::strategies());
  if (type == "RUN_STRATEGY")
    for (const client::AnswersInfo& info : client::all_answers()) words.emplace_back(info.name);
  if (type == "RUN_DEVICE") words = {"sim"};
  if (type == "DEVICE") words = names_of(tables::devices());
  for (const Scenario* scenario : tables::scenarios()) {
    if (type == "WINDOW") add_names(words, scenario->windows);
    if (type == "INSTRUMENT") add_names(words, scenario->instruments);
  }
  if (type == "SHELL") words = {"bash", "zsh", "fish"};
  if (type.starts_with("PART ")) words = CLI::detail::split(type.substr(5), ' ');
  return words;
}

struct Argument {
  std::string name;  ///< "--seed"; empty for a positional argument.
  std::string type;  ///< Empty for a flag.
  std::string description;
};

struct Command {
  std::string name;
  std::string description;
  std::vector<Argument> arguments;

  std::string positional_type() const {
    for (const Argument& argument : arguments)
      if (argument.name.empty()) return argument.type;
    return {};
  }
};

void add_arguments(Command& command, const CLI::App& app) {
  const auto is_known = [&](const std::string& name) {
    return std::any_of(command.arguments.begin(), command.arguments.end(),
                       [&](const Argument& argument) { return argument.name == name; });
  };
  for (const CLI::Option* option : app.get_options()) {
    const std::string type = option->get_items_expected_max() > 0 ? option->get_type_name() : "";
    if (option->get_positional() && !is_known(""))
      command.arguments.push_back({"", type, option->get_description()});
    for (const std::string& name : option->get_lnames())
      if (!is_known("--" + name))
        command.arguments.push_back({"--" + name, type, option->get_description()});
  }
}

/// A command with subcommands (`nightly plan`) is completed by their names and all their options.
std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> commands;
  for (const CLI::App* sub : app.get_subcommands({})) {
    Command& command = commands.emplace_back(Command{sub->get_name(), sub->get_description(), {}});
    std::string names = "PART";
    for (const CLI::App* part : sub->get_subcommands({})) names += " " + part->get_name();
    if (names != "PART") command.arguments.push_back({"", names, "What to do"});
    add_arguments(command, *sub);
    for (const CLI::App* part : sub->get_subcommands({})) add_arguments(command, *part);
  }
  return commands;
}

std::string joined(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// Returns the text in single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + safe + "'";
}

// ---- bash ----

std::string bash_values(const std::string& type) {
  if (type == "FILE") return "files";
  if (type == "DIR") return "folders";
  return "words " + quoted(joined(values_of(type)));
}

std::string bash_cases(const Command& command) {
  std::string text;
  Words options;
  for (const Argument& argument : command.arguments) {
    if (argument.name.empty()) continue;
    options.push_back(argument.name);
    if (!argument.type.empty())
      text += fmt::format("    {}:{}) _afterlife_{} ;;\n", command.name, argument.name,
                          bash_values(argument.type));
  }
  return text + fmt::format(
                    "    {0}:*) if [[ $word == -* ]]; then _afterlife_words {1}; else "
                    "_afterlife_{2}; fi ;;\n",
                    command.name, quoted(joined(options)), bash_values(command.positional_type()));
}

std::string bash(const std::vector<Command>& commands) {
  std::string text = R"(# bash completion of afterlife: source <(afterlife completion bash)
_afterlife_words() { COMPREPLY=($(compgen -W "$1" -- "$word")); }
_afterlife_files() { COMPREPLY=($(compgen -f -- "$word")); compopt -o filenames 2>/dev/null; }
_afterlife_folders() { COMPREPLY=($(compgen -d -- "$word")); compopt -o filenames 2>/dev/null; }
_afterlife() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i
  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
  done
  COMPREPLY=()
  case $command:$before in
)";
  Words names{"--help", "--version"};
  for (const Command& command : commands) {
    text += bash_cases(command);
    names.push_back(command.name);
  }
  return text +
         fmt::format(
             "    :*) _afterlife_words {} ;;\n  esac\n}}\ncomplete -F _afterlife afterlife\n",
             quoted(joined(names)));
}

// ---- zsh ----

/// Returns a description in the form that zsh takes in brackets or after a colon.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += c == '[' ? "(" : c == ']' ? ")" : c == ':' ? "\\:" : std::string(1, c);
  return safe;
}

std::string zsh_action(const std::string& type) {
  if (type == "FILE") return "_files";
  if (type == "DIR") return "_files -/";
  return fmt::format("({})", joined(values_of(type)));
}

std::string zsh_argument(const Argument& argument) {
  const std::string value =
      fmt::format(":{}:{}", zsh_text(argument.type), zsh_action(argument.type));
  if (argument.name.empty()) return quoted("*" + value);
  const std::string text = fmt::format("[{}]", zsh_text(argument.description));
  return argument.type.empty() ? quoted(argument.name + text)
                               : quoted("*" + argument.name + "=" + text + value);
}

std::string zsh(const std::vector<Command>& commands) {
  std::string names, cases;
  for (const Command& command : commands) {
    names += fmt::format("    {}\n", quoted(command.name + ":" + zsh_text(command.description)));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const Argument& argument : command.arguments)
      cases += " \\\n      " + zsh_argument(argument);
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef afterlife
# zsh completion of afterlife: source <(afterlife completion zsh)
_afterlife() {{
  local curcontext=$curcontext state line
  local -a commands
  commands=(
{}  )
  _arguments -C '--help[Say how it is used]' '--version[Say which version this is]' '1:command:->command' '*::argument:->argument'
  if [[ $state == command ]]; then _describe command commands; return; fi
  case $words[1] in
{}  esac
}}
compdef _afterlife afterlife
)",
                     names, cases);
}

// ---- fish ----

std::string fish_values(const std::string& type) {
  if (type == "FILE") return " -r -F";
  if (type == "DIR") return " -x -a '(__fish_complete_directories)'";
  return " -x -a " + quoted(joined(values_of(type)));
}

std::string fish_argument(const Command& command, const Argument& argument) {
  std::string text =
      fmt::format("complete -c afterlife -n '__fish_seen_subcommand_from {}'", command.name);
  if (argument.name.empty()) {
    if (argument.type == "FILE") return text + " -F\n";
    return text + fmt::format(" -a {}\n", quoted(joined(values_of(argument.type))));
  }
  text += " -l " + argument.name.substr(2);
  if (!argument.type.empty()) text += fish_values(argument.type);
  return text + fmt::format(" -d {}\n", quoted(argument.description));
}

std::string fish(const std::vector<Command>& commands) {
  std::string text =
      "# fish completion of afterlife: afterlife completion fish | source\n"
      "complete -c afterlife -f\n"
      "complete -c afterlife -n __fish_use_subcommand -l version -d 'Say which version this is'\n";
  for (const Command& command : commands) {
    text += fmt::format("complete -c afterlife -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, quoted(command.description));
    for (const Argument& argument : command.arguments) text += fish_argument(command, argument);
  }
  return text;
}

}  // namespace

CLI::App* add_completion(CLI::App& app, std::string& shell) {
  CLI::App* command = app.add_subcommand("completion", "Print a script for shell completion");
  command->add_option("shell", shell, "bash, zsh or fish")->required()->type_name("SHELL");
  command->footer(
      claim_footer("  source <(afterlife completion bash)\n  afterlife completion fish | source"));
  return command;
}

std::string completion(const CLI::App& app, const std::string& shell) {
  const std::vector<Command> commands = commands_of(app);
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  const Words known{"bash", "zsh", "fish"};
  const std::string meant = did_you_mean(shell, known);
  throw UsageError(fmt::format("no completion for '{}'{}", shell,
                               meant.empty() ? "; there is: " + joined(known) : meant));
}

}  // namespace harness::entries
