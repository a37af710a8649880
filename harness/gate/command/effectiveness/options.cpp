// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/command/effectiveness/options.h"

#include "harness/command/arguments.h"

namespace harness::entries {

CLI::App* add_effectiveness(CLI::App& app, EffectivenessOptions& options) {
  CLI::App* command =
      app.add_subcommand("effectiveness",
                         "Measure how many runs it takes to find the claimed faults of unsound "
                         "variants, or compare two such measurements");
  command->add_option("target", options.target, "PATH or PATH/VARIANT (default: everything)")
      ->type_name("PATH[/VARIANT]");
  command
      ->add_option("--searches", options.searches, "Number of searches of each unsound variant (3)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  command->add_option("--first", options.first, "Number of the first search (1)")
      ->check(whole_number(1, 1'000'000'000'000))
      ->type_name("N");
  command->add_option("--limit", options.limit, "Number of runs of a search (300)")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  command
      ->add_option("--minimized", options.minimized,
                   "Number of searches in which the first fault of each window is minimized (1)")
      ->check(whole_number(0, 1'000'000))
      ->type_name("N");
  command
      ->add_option("--strategy", options.strategy,
                   "Strategy that makes the choices (random_walk); see `afterlife list`")
      ->type_name("STRATEGY");
  command
      ->add_option("--compare", options.compare,
                   "Compare two outputs of --json with different search numbers: BASE HEAD")
      ->expected(2)
      ->type_name("FILE");
  command->add_flag("--windows", options.windows, "Also compare each window separately");
  command
      ->add_option("--canaries", options.canaries,
                   "Compute error rates of the comparison from this record; see ./scripts/gate.sh "
                   "--self-test")
      ->type_name("FILE");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(
      help_footer("  afterlife effectiveness argpack --searches 8\n"
                  "  afterlife effectiveness --json > base.json\n"
                  "  afterlife effectiveness --compare base.json head.json",
                  "Exit: 0 searched, or nothing is worse, 1 something is worse or missing, 2 a "
                  "file or the disk, 3 usage, 4 stopped, 5 undecided: too few searches."));
  return command;
}

}  // namespace harness::entries
