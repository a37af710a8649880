// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/command/gate_arguments.h"

#include <algorithm>
#include <string_view>

#include "harness/command/arguments.h"
#include "harness/command/help_text.h"

namespace harness::entries {

static constexpr const char* kGateExitCodes =
    "Exit: 0 passed, 1 a benchmark is slower or missing, 2 a command failed, a file or the disk, 3 "
    "usage, 4 stopped, 5 undecided.";

CLI::App* add_gate(CLI::App& app, GateOptions& options) {
  CLI::App* command =
      app.add_subcommand("gate",
                         "Compare two benchmark commands: -- BASE... -- HEAD... They print JSON of "
                         "Google Benchmark or NVBench, or numbers");
  command
      ->add_option("--rounds", options.rounds,
                   "Maximum number of rounds (160); undecided benchmarks get 40, 80, ... rounds")
      ->check(whole_number(8, 100'000))
      ->type_name("N");
  command
      ->add_option("--seconds", options.seconds,
                   "Time limit for measuring and computing; the rest is undecided")
      ->check(number(0.01, 1e7))
      ->type_name("N");
  command
      ->add_option("--timeout", options.timeout_seconds,
                   "Time limit for one process, in seconds (600)")
      ->check(number(0.01, 1e7))
      ->type_name("N");
  command
      ->add_option("--min-time", options.min_time,
                   "Seconds of a repetition, replaces {min_time} in a command (0.001)")
      ->check(number(1e-6, 3600))
      ->type_name("N");
  add_seed(*command, options.seed, "Seed of the order of measurements and of resampling (1)");
  command->add_option("--samples", options.samples, "Write all samples to this new file")
      ->type_name("FILE");
  CLI::Option* const recompute =
      command->add_option("--recompute", options.recompute, "Judge the samples of this file again")
          ->type_name("FILE");
  // The file has the rule, and nothing is measured.
  for (const char* other : {"--rounds", "--timeout", "--min-time", "--seed", "--samples"})
    recompute->excludes(other);
  command
      ->add_option(
          "--canaries", options.canaries,
          "Compute error rates of the gate from this record; see ./scripts/gate.sh --record")
      ->type_name("FILE");
  command
      ->add_option(
          "--calibrate", options.calibrating_rounds,
          "Compare one command (-- COMMAND...) with itself for N rounds, and print the error rates "
          "of the gate on this machine: false alarms, and slowdowns of 1 and 3 % that it finds")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  command->add_option("--rates", options.rates, "Print the error rates of this record on the page")
      ->type_name("FILE");
  command->add_option("--searches", options.searches, "The same for this record of searches")
      ->type_name("FILE");
  command->add_option("--junit", options.junit, "Write the verdicts as JUnit XML")
      ->type_name("FILE");
  command->add_option("--markdown", options.markdown, "Write a table for a pull request")
      ->type_name("FILE");
  command->add_option("--html", options.html, "Write a page that shows the intervals")
      ->type_name("FILE");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(help_footer(
      "  afterlife gate -- ./old --benchmark_format=json -- ./new --benchmark_format=json\n"
      "  afterlife gate --seconds 60 --html gate.html \\\n"
      "      -- ./old --benchmark_format=json --benchmark_repetitions=5 \\\n"
      "         '--benchmark_min_time={min_time}' '--benchmark_filter={benchmarks}' \\\n"
      "      -- ./new --benchmark_format=json --benchmark_repetitions=5 \\\n"
      "         '--benchmark_min_time={min_time}' '--benchmark_filter={benchmarks}'",
      kGateExitCodes));
  return command;
}

int take_commands(int argc, char** argv, GateOptions& options) {
  const std::string_view dashes = "--";
  if (argc < 2 || std::string_view(argv[1]) != "gate") return argc;
  const int base = static_cast<int>(std::find(argv, argv + argc, dashes) - argv);
  const int head =
      static_cast<int>(std::find(argv + std::min(base + 1, argc), argv + argc, dashes) - argv);
  if (base < argc) options.base.assign(argv + base + 1, argv + head);
  if (head < argc) options.head.assign(argv + head + 1, argv + argc);
  return base;
}

}  // namespace harness::entries
