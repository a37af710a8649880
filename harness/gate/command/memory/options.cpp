// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/command/memory/options.h"

#include "harness/command/arguments.h"

namespace harness::entries {

CLI::App* add_memory(CLI::App& app, MemoryOptions& options) {
  CLI::App* command = app.add_subcommand(
      "memory", "Measure the memory of a search of a sound variant, and whether it grows");
  command
      ->add_option("target", options.target,
                   "PATH or PATH/VARIANT (default: the first sound variant of each path)")
      ->type_name("PATH[/VARIANT]");
  command->add_option("--runs", options.runs, "Number of runs (20 000)")
      ->check(whole_number(64, 1'000'000'000'000))
      ->type_name("N");
  add_seed(*command, options.seed, "Seed of the search (1)");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(
      help_footer("  afterlife memory argpack\n  afterlife memory argpack/own --runs 1000000",
                  "Exit: 0 measured, 2 a file or the disk, 3 usage, 4 stopped."));
  return command;
}

}  // namespace harness::entries
