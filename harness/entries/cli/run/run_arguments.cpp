#include "harness/entries/cli/run/run_arguments.h"

#include <algorithm>
#include <string_view>

#include "harness/entries/cli/arguments.h"
#include "harness/files/plain_name.h"

namespace harness::entries {

static constexpr std::uint64_t kMostJobs = 1024;
static CLI::Validator plain() {
  return CLI::Validator(
      [](std::string& text) {
        return is_plain_name(text) ? "" : fmt::format("'{}' is no plain name", text);
      },
      "");
}

static constexpr const char* kExitCodes =
    "Exit: 0 nothing was found, 1 something was, 2 nothing could be judged, a file or the disk, 3 "
    "usage, 4 stopped.";

/// Adds the files that a search reads and leaves.
static void add_files(CLI::App& command, RunOptions& options) {
  command.add_option("--out", options.out, "Where findings go (results/found)")->type_name("DIR");
  command
      .add_option("--name", options.name,
                  "What the files of findings are called, in place of the program's name")
      ->check(plain())
      ->type_name("NAME");
  command
      .add_option("--html", options.html,
                  "Write a page for each finding into this folder, and index.html")
      ->type_name("DIR");
  command.add_option("--sarif", options.sarif, "Write the findings as SARIF 2.1.0")
      ->type_name("FILE");
  command.add_option("--junit", options.junit, "Write the findings as JUnit's XML")
      ->type_name("FILE");
  command
      .add_option("--markdown", options.markdown,
                  "Write the findings as a table and their stories, for the summary of a CI job")
      ->type_name("FILE");
  command
      .add_option("--suppressions", options.suppressions,
                  "Findings that are known, one a line: KIND FUNCTION_OR_FILE REASON")
      ->type_name("FILE");
  CLI::Option* history =
      command
          .add_option("--history", options.history,
                      "Remember the search in this folder, and say which findings are new, known, "
                      "or gone since the last time")
          ->type_name("DIR");
  command
      .add_flag("--new-only", options.new_only,
                "Exit 1 only where a finding is new in the history, or back")
      ->needs(history);
}

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command =
      app.add_subcommand("run",
                         "Run a program as it is, again and again on the simulated driver, and "
                         "tell what it uses after its end: -- COMMAND...");
  command->add_option("--seconds", options.seconds, "Begin no run after so long (60 unless --runs)")
      ->check(number(0.01, 1e7))
      ->type_name("N");
  command->add_option("--runs", options.runs, "How many runs")
      ->check(whole_number(1, ~std::uint64_t{0}))
      ->type_name("N");
  add_seed(*command, options.seed, "Where the search starts (1)");
  command->add_option("--device", options.device, "What it runs on: sim, the simulated driver")
      ->type_name("RUN_DEVICE");
  command
      ->add_option("--strategy", options.strategy,
                   "Who answers: random_walk, by chance (the usual one), or deviations, every "
                   "single decision and then every two")
      ->type_name("RUN_STRATEGY");
  command
      ->add_option("--jobs", options.jobs,
                   "Runs at a time (1), for a program whose runs are in no other's way")
      ->check(whole_number(1, kMostJobs))
      ->type_name("N");
  command->add_option("--timeout", options.timeout_seconds, "How long one run may take (60)")
      ->check(number(0.01, 1e7))
      ->type_name("N");
  add_files(*command, options);
  command->add_flag("--failures", options.failures, "Have CUDA calls fail that may");
  command->add_flag("--forced", options.forced,
                    "Have Python collect and switch threads also where its version cannot; told "
                    "apart");
  command->add_flag("--pedantic", options.pedantic,
                    "Findings are also faults that drivers of today do not show");
  command->add_flag("--may-not-call", options.may_not_call,
                    "A program that makes no CUDA call is as it should be: exit 0");
  command->add_flag("--process-per-run", options.process_per_run,
                    "Start the program anew for each run, and fork none at its first question");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(
      help_footer("  afterlife run -- python3 crash.py\n"
                  "  afterlife run --runs 200 --seed 7 -- ./build/my_test --quick\n"
                  "  afterlife run --jobs 8 --runs 2000 -- python3 crash.py\n"
                  "  afterlife run --html pages --sarif found.sarif -- python3 crash.py\n"
                  "  afterlife run --forced --runs 200 -- python3 crash.py\n"
                  "  afterlife run --history nights --new-only -- python3 crash.py",
                  kExitCodes));
  return command;
}

int take_command(int argc, char** argv, RunOptions& options) {
  if (argc < 2 || std::string_view(argv[1]) != "run") return argc;
  char** const dashes = std::find(argv, argv + argc, std::string_view("--"));
  if (dashes != argv + argc) options.command.assign(dashes + 1, argv + argc);
  return static_cast<int>(dashes - argv);
}

}  // namespace harness::entries
