// SPDX-License-Identifier: Apache-2.0
// afterlife: parses the command line, runs one command, and turns errors into one line on stderr
// and an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cli/completion.h"
#include "harness/cli/counters.h"
#include "harness/cli/explain.h"
#include "harness/cli/footer.h"
#include "harness/cli/fuzz.h"
#include "harness/cli/list.h"
#include "harness/cli/minimize.h"
#include "harness/cli/price/options.h"
#include "harness/cli/prove.h"
#include "harness/cli/replay.h"
#include "harness/cli/triage.h"
#include "harness/cli/unexpected.h"
#include "harness/client/command/run_arguments.h"
#include "harness/client/command/selftest.h"
#include "harness/command/arguments.h"
#include "harness/command/command_words.h"
#include "harness/command/exit_code.h"
#include "harness/command/help_text.h"
#include "harness/command/plain_words.h"
#include "harness/command/streams.h"
#include "harness/gate/command/effectiveness/options.h"
#include "harness/gate/command/gate_arguments.h"
#include "harness/gate/command/memory/options.h"
#include "harness/nightly/command/commands.h"
#include "harness/nightly/command/run_history.h"

namespace harness::entries {
namespace {

/// Refuses empty names and files: these come from an unset shell variable.
void refuse_empty_values(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() > 0) option->check(not_empty());
    refuse_empty_values(*command);
  }
}

int complain(const std::string& what, int code) {
  say_error(what);
  return code;
}

/// Returns the command's exit code, or kWorld if its output could not be written. No error is
/// printed if the reader closed the pipe, as `head` does.
int finish(int code) {
  const std::string error = finish_output();
  if (error.empty()) return code;
  return is_reader_gone() ? kWorld : complain(error, kWorld);
}

/// Replaces common words: "-v", "version", "help", "help COMMAND".
std::vector<char*> usual_words(int argc, char** argv) {
  static char version[] = "--version", help[] = "--help";
  std::vector<char*> words(argv, argv + argc);
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "-v" || first == "version") words[1] = version;
  if (first == "help") {
    words.erase(words.begin() + 1);
    words.push_back(help);
  }
  words.push_back(nullptr);
  return words;
}

/// Adds a suggestion to CLI11's error message.
std::string meant_by(const CLI::App& app, int argc, const char* const* argv,
                     const std::string& what) {
  if (const std::string word = unexpected(app, argc, argv); !word.empty()) return word;
  const auto named = app.get_subcommands();
  const std::string where = named.empty() ? "" : " " + named.front()->get_name();
  return fmt::format("{}{}; see `afterlife{} --help`", what,
                     named.empty() ? "" : variant_meant(*named.front()), where);
}

/// The commands, each with its options and the function that carries it out.
class Commands {
 public:
  explicit Commands(CLI::App& app) : app_(app) {}

  /// Adds a command. Returns its options, which live as long as this object.
  template <class Options>
  Options& add(CLI::App* (*describe)(CLI::App&, Options&), int (*carry_out)(const Options&)) {
    const auto options = std::make_shared<Options>();
    const CLI::App* command = describe(app_, *options);
    commands_.push_back({command, [=] { return carry_out(*options); }});
    return *options;
  }

  /// Carries out the parsed command. Returns its exit code.
  int run() const {
    const auto is_asked = [](const auto& one) { return one.first->parsed(); };
    return std::find_if(commands_.begin(), commands_.end(), is_asked)->second();
  }

 private:
  CLI::App& app_;
  std::vector<std::pair<const CLI::App*, std::function<int()>>> commands_;
};

int run_with_history(const RunOptions& options) { return run(options, open_run_history); }

int run_command_line(int argc, char** given) {
  std::vector<char*> words = usual_words(argc, given);
  char** const argv = words.data();
  argc = static_cast<int>(words.size()) - 1;
  CLI::App app("Afterlife finds use-after-free and data races in GPU programs, without a GPU.",
               "afterlife");
  app.require_subcommand(1);
  app.set_version_flag("--version", "afterlife " AFTERLIFE_VERSION);
  app.footer(fmt::format("\n`afterlife COMMAND --help` has examples.\n{}", kClaimExitCodes));
  Commands commands(app);
  RunOptions& run_options = commands.add(add_run, run_with_history);
  commands.add(add_list, list);
  commands.add(add_fuzz, fuzz);
  commands.add(add_replay, replay);
  commands.add(add_minimize, minimize);
  commands.add(add_explain, explain);
  commands.add(add_triage, entries::triage);
  commands.add(add_counters, counters);
  commands.add(add_price, entries::price);
  GateOptions& gate_options = commands.add(add_gate, gate);
  commands.add(add_memory, entries::memory);
  commands.add(add_effectiveness, entries::effectiveness);
  NightlyOptions nightly_options;
  const CLI::App* nightly_command = add_nightly(app, nightly_options);
  commands.add(add_prove, prove);
  commands.add(add_selftest, selftest);
  if (const std::string meant = misplaced_command(app, {argv + std::min(argc, 1), argv + argc});
      !meant.empty())
    return complain(meant, kUsage);
  argc = take_command(take_commands(argc, argv, gate_options), argv, run_options);
  std::string shell;
  CLI::App* completion_command = add_completion(app, shell);
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_text(app));
    return kAsClaimed;
  } catch (const CLI::Success& asked_for_version) {
    return app.exit(asked_for_version);
  } catch (const CLI::ParseError& error) {
    return complain(meant_by(app, argc, argv, error.what()), kUsage);
  }
  if (completion_command->parsed()) {
    fmt::print("{}", completion(app, shell));
    return kAsClaimed;
  }
  if (nightly_command->parsed()) return run_nightly(*nightly_command, nightly_options);
  return commands.run();
}

}  // namespace
}  // namespace harness::entries

int main(int argc, char** argv) {
  using namespace harness::entries;
  prepare_streams();
  try {
    return finish(run_command_line(argc, argv));
  } catch (const UsageError& error) {
    return complain(error.what(), kUsage);
  } catch (const std::system_error& error) {
    return is_reader_gone() ? kWorld : complain(plain_words(error), kWorld);
  } catch (const std::exception& error) {
    return complain(plain_words(error), kWorld);
  }
}
