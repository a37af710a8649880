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
#include "harness/cli/price/options.h"
#include "harness/cli/unexpected.h"
#include "harness/client/command/run_arguments.h"
#include "harness/client/command/selftest.h"
#include "harness/command/arguments.h"
#include "harness/command/command_words.h"
#include "harness/command/commands.h"
#include "harness/command/help_text.h"
#include "harness/command/plain_words.h"
#include "harness/command/streams.h"
#include "harness/gate/command/effectiveness/options.h"
#include "harness/gate/command/gate_arguments.h"
#include "harness/gate/command/memory/options.h"
#include "harness/nightly/command/commands.h"

namespace harness::entries {
namespace {

constexpr const char* kExitCodes =
    "Exit: 0 every claim holds, 1 one does not, 2 a file, the disk or the GPU, 3 usage, 4 stopped, "
    "5 undecided (gate, prove).";

constexpr const char* kTriageExitCodes =
    "Exit: 0 every fault has a cause, 1 one is unexplained, 2 a file cannot be read, 3 usage, 4 "
    "stopped.";

std::string footer(const char* examples, const char* exit_codes = kExitCodes) {
  return help_footer(examples, exit_codes);
}

CLI::App* add_list(CLI::App& app, ListOptions& options) {
  CLI::App* command = app.add_subcommand("list",
                                         "List paths with their variants, configurations, "
                                         "operations and windows, and all strategies and devices");
  command->add_option("path", options.path, "Path to list (default: everything)")
      ->type_name("PATH");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  command->footer(
      footer("  afterlife list\n  afterlife list argpack\n  afterlife list --json | python3 -m "
             "json.tool"));
  return command;
}

CLI::App* add_fuzz(CLI::App& app, FuzzOptions& options) {
  CLI::App* command =
      app.add_subcommand("fuzz", "Search for faults, and compare each claim with the result");
  command->add_option("target", options.target, "PATH or PATH/VARIANT (default: everything)")
      ->type_name("PATH[/VARIANT]");
  command
      ->add_option("--seconds", options.seconds,
                   "Total time, divided among the variants (60 unless --runs)")
      ->check(number(0.01, 1e7))
      ->type_name("N");
  command->add_option("--runs", options.runs, "Number of runs of each variant")
      ->check(whole_number(1, ~std::uint64_t{0}))
      ->type_name("N");
  add_seed(*command, options.seed, "Seed of the search (1)");
  command
      ->add_option("--strategy", options.strategy,
                   "Strategy that makes the choices (random_walk); see `afterlife list`")
      ->type_name("STRATEGY");
  command->add_option("--device", options.device, "Device that executes CUDA calls (sim)")
      ->type_name("DEVICE");
  command
      ->add_option("--config", options.config,
                   "Configuration: \"axis=value ...\", with every axis (default: all in turn)")
      ->type_name("TEXT");
  command
      ->add_option("--window", options.window, "Report faults and judge claims in this window only")
      ->type_name("NAME");
  command->add_option("--out", options.out, "Folder for reproducers (results/found)")
      ->type_name("DIR");
  command->add_flag("--first", options.first,
                    "Stop a variant at its first fault, and do not minimize it");
  command->add_flag("--no-failures", options.no_failures, "Inject no errors into CUDA calls");
  command->add_flag("--full", options.full,
                    "Print the tables of all variants and windows, as for a single variant");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/schema.json)");
  command->footer(
      footer("  afterlife fuzz --seconds 10\n"
             "  afterlife fuzz argpack/borrow --runs 100000 --seed 7 --json"));
  return command;
}

CLI::App* add_replay(CLI::App& app, ReplayOptions& options) {
  CLI::App* command = app.add_subcommand(
      "replay",
      "Run a reproducer or a finding, print its story, and compare the result with the file");
  command
      ->add_option("files", options.files,
                   "Reproducers, findings of `run`, and folders of both; several files give a line "
                   "each and a summary")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--html", options.html,
                   "Write a page about the case: timeline, story and choices; needs no network")
      ->type_name("FILE");
  command
      ->add_option("--trace", options.trace,
                   "Write a trace of the run, for https://ui.perfetto.dev")
      ->type_name("FILE");
  command
      ->add_option("--sarif", options.sarif, "Write the fault and the run that led to it as SARIF")
      ->type_name("FILE");
  command
      ->add_option("--steps", options.steps,
                   "Write the steps of the run, for `triage --good-program`")
      ->type_name("FILE");
  command->add_option("--step", options.step, "Print the call stack at this step")->type_name("N");
  command->add_flag(
      "--trust", options.trust,
      "Start the command in a finding of `run`, even if another user or machine wrote it");
  CLI::Option* json =
      command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command
      ->add_flag("--gdb", options.gdb,
                 "Stop in gdb where the fault is reported, in the thread that causes it")
      ->excludes(json);
  command
      ->add_flag("--why", options.why,
                 "Print which order or reference is missing, and which repair removes the fault")
      ->excludes(json);
  command->footer(footer(
      "  afterlife replay corpus/argpack/repros/borrow-nested_replaced.repro\n"
      "  afterlife replay corpus/argpack/repros/borrow-nested_replaced.repro --why\n"
      "  afterlife replay corpus/argpack/repros/borrow-nested_replaced.repro --html story.html\n"
      "  afterlife replay results/found/crash-use_after_free-6e8e6cb6.run.json --html page.html\n"
      "  afterlife replay corpus/argpack/repros corpus/alltoallv/repros"));
  return command;
}

CLI::App* add_minimize(CLI::App& app, MinimizeOptions& options) {
  CLI::App* command = app.add_subcommand(
      "minimize",
      "Remove every choice that the fault does not need, and write the result beside the file");
  command->add_option("file", options.file, "Reproducer, or finding of `run`")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--out", options.out,
                   "Output file, which may be the input (FILE.min.repro, FILE.min.run.json)")
      ->type_name("FILE");
  command
      ->add_option("--programs", options.programs,
                   "Folder of the corpus with smaller known cases (corpus)")
      ->type_name("DIR");
  command->add_flag(
      "--trust", options.trust,
      "Start the command in a finding of `run`, even if another user or machine wrote it");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  command->footer(
      footer("  afterlife minimize results/found/argpack-borrow-08fa146f.repro\n"
             "  afterlife minimize results/found/crash-use_after_free-6e8e6cb6.run.json"));
  return command;
}

CLI::App* add_prove(CLI::App& app, ProveOptions& options) {
  CLI::App* command = app.add_subcommand(
      "prove",
      "Run the smallest program of each window with every set of at most k further choices");
  command->add_option("target", options.target, "Variant, or path with all of its variants")
      ->required()
      ->type_name("PATH[/VARIANT]");
  command
      ->add_option("--k", options.decisions,
                   "Maximum number of choices (up to 3, if at most 200 000 runs per window "
                   "suffice; below 2 nothing holds)")
      ->check(whole_number(0, 6))
      ->type_name("N");
  command->add_option("--window", options.window, "Only this window")->type_name("WINDOW");
  command
      ->add_option("--programs", options.programs,
                   "Folder of the corpus with PATH/programs (corpus)")
      ->type_name("DIR");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/schema.json)");
  command->footer(footer(
      "  afterlife prove argpack/own\n  afterlife prove argpack --window nested_replaced --json"));
  return command;
}

CLI::App* add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = app.add_subcommand("explain",
                                         "Run a reproducer with the instruments of its path, and "
                                         "print which class of writer caused the fault");
  command->add_option("file", options.file, "Reproducer of a path that has instruments")
      ->required()
      ->type_name("FILE");
  command->add_option("--without", options.without, "Instrument to leave out; may be repeated")
      ->type_name("INSTRUMENT");
  command->add_flag("--json", options.json, "One JSON object on stdout, with the judged record");
  command->footer(
      footer("  afterlife explain corpus/managed_dict/repros/incref_tagged_word-chunk_freed.repro\n"
             "  afterlife explain found.repro --without debug_allocator"));
  return command;
}

CLI::App* add_triage(CLI::App& app, TriageCommandOptions& options) {
  CLI::App* command = app.add_subcommand(
      "triage", "Sort reproducers by root cause: the smallest repair that removes the fault");
  command->add_option("files", options.files, "Reproducers, findings, and folders of both")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--runs", options.runs,
                   "Number of other schedules on which a repair must work (240)")
      ->check(whole_number(0, 1'000'000'000))
      ->type_name("N");
  command
      ->add_option("--good-program", options.good_program,
                   "An afterlife without the faults; a cause is then the first step that differs")
      ->type_name("FILE");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(
      footer("  afterlife triage results/found\n"
             "  afterlife triage corpus/argpack/repros --json | python3 -m json.tool",
             kTriageExitCodes));
  return command;
}

CLI::App* add_counters(CLI::App& app, CountersOptions& options) {
  CLI::App* command = app.add_subcommand(
      "counters",
      "Count the work of sound variants, in ordinary use and in the committed programs");
  command->add_option("target", options.target, "PATH or PATH/VARIANT (default: everything)")
      ->type_name("PATH[/VARIANT]");
  command->add_option("--corpus", options.corpus, "Folder of the corpus (corpus)")
      ->type_name("DIR");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  command->footer(footer("  afterlife counters argpack\n  afterlife counters --json"));
  return command;
}

CLI::App* add_completion(CLI::App& app, std::string& shell) {
  CLI::App* command = app.add_subcommand("completion", "Print a script for shell completion");
  command->add_option("shell", shell, "bash, zsh or fish")->required()->type_name("SHELL");
  command->footer(
      footer("  source <(afterlife completion bash)\n  afterlife completion fish | source"));
  return command;
}

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

int run_command_line(int argc, char** given) {
  std::vector<char*> words = usual_words(argc, given);
  char** const argv = words.data();
  argc = static_cast<int>(words.size()) - 1;
  CLI::App app("Afterlife finds use-after-free and data races in GPU programs, without a GPU.",
               "afterlife");
  app.require_subcommand(1);
  app.set_version_flag("--version", "afterlife " AFTERLIFE_VERSION);
  app.footer(fmt::format("\n`afterlife COMMAND --help` has examples.\n{}", kExitCodes));
  Commands commands(app);
  RunOptions& run_options = commands.add(add_run, entries::run);
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
