// SPDX-License-Identifier: Apache-2.0
#include "harness/client/command/run_arguments.h"

#include <algorithm>
#include <string_view>

#include "harness/base/files/plain_name.h"
#include "harness/command/arguments.h"

namespace harness::entries {

static constexpr std::uint64_t kMostJobs = 1024;
static CLI::Validator plain() {
  return CLI::Validator(
      [](std::string& text) {
        return is_plain_name(text) ? "" : fmt::format("'{}' is not a plain name", text);
      },
      "");
}

static constexpr const char* kExitCodes =
    "Exit: 0 nothing was found, 1 findings, 2 the program could not be judged, a file or the disk, "
    "3 usage, 4 stopped.";

/// Adds the options for files that a search reads and writes.
static void add_files(CLI::App& command, RunOptions& options) {
  command.add_option("--out", options.out, "Folder for findings (results/found)")->type_name("DIR");
  command
      .add_option("--name", options.name,
                  "Name of the files of findings (default: the program's name)")
      ->check(plain())
      ->type_name("NAME");
  command
      .add_option("--html", options.html,
                  "Write a page for each finding and an index.html into this folder")
      ->type_name("DIR");
  command.add_option("--sarif", options.sarif, "Write the findings as SARIF 2.1.0")
      ->type_name("FILE");
  command.add_option("--junit", options.junit, "Write the findings as JUnit XML")
      ->type_name("FILE");
  command
      .add_option("--markdown", options.markdown,
                  "Write the findings as a table with their stories, for the summary of a CI job")
      ->type_name("FILE");
  command
      .add_option("--suppressions", options.suppressions,
                  "File of known findings, one per line: KIND FUNCTION_OR_FILE REASON")
      ->type_name("FILE");
  CLI::Option* history = command
                             .add_option("--history", options.history,
                                         "Record the search in this folder, and print which "
                                         "findings are new, known or gone since the last search")
                             ->type_name("DIR");
  command
      .add_flag("--new-only", options.new_only,
                "Exit with 1 only if a finding is new in the history, or is back")
      ->needs(history);
}

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command =
      app.add_subcommand("run",
                         "Run an unchanged program many times on the simulated driver, and report "
                         "use-after-free, data races and failures: -- COMMAND...");
  command
      ->add_option("--seconds", options.seconds, "Start no run after N seconds (60 unless --runs)")
      ->check(number(0.01, 1e7))
      ->type_name("N");
  command->add_option("--runs", options.runs, "Number of runs")
      ->check(whole_number(1, ~std::uint64_t{0}))
      ->type_name("N");
  add_seed(*command, options.seed, "Seed of the search (1)");
  command->add_option("--device", options.device, "Device: sim, the simulated driver")
      ->type_name("RUN_DEVICE");
  command
      ->add_option("--strategy", options.strategy,
                   "Strategy that makes the choices: random_walk (default), at random, or "
                   "deviations, every single choice and then every pair")
      ->type_name("RUN_STRATEGY");
  command
      ->add_option(
          "--jobs", options.jobs,
          "Number of concurrent runs (1), for a program that may run several times at once")
      ->check(whole_number(1, kMostJobs))
      ->type_name("N");
  command
      ->add_option("--timeout", options.timeout_seconds, "Time limit for one run, in seconds (60)")
      ->check(number(0.01, 1e7))
      ->type_name("N");
  add_files(*command, options);
  command->add_flag("--failures", options.failures, "Inject errors into CUDA calls that may fail");
  command->add_flag("--forced", options.forced,
                    "Also collect and switch threads where this version of Python would not; "
                    "marked in the report");
  command->add_flag("--pedantic", options.pedantic,
                    "Also report faults that current drivers do not show");
  command->add_flag("--may-not-call", options.may_not_call,
                    "Exit with 0 if the program makes no CUDA call");
  command->add_flag("--process-per-run", options.process_per_run,
                    "Start a new process for each run, instead of forking at the first choice");
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
