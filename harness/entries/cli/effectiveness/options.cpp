#include "harness/entries/cli/effectiveness/options.h"

#include "harness/entries/cli/arguments.h"

namespace harness::entries {

CLI::App* add_effectiveness(CLI::App& app, EffectivenessOptions& options) {
  CLI::App* command = app.add_subcommand(
      "effectiveness",
      "Measure how soon searches find what unsound variants claim, or compare two");
  command
      ->add_option("target", options.target,
                   "Search PATH or PATH/VARIANT; everything when left out")
      ->type_name("PATH[/VARIANT]");
  command->add_option("--searches", options.searches, "How many of each unsound variant (3)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  command->add_option("--first", options.first, "The number of the first search (1)")
      ->check(whole_number(1, 1'000'000'000'000))
      ->type_name("N");
  command->add_option("--limit", options.limit, "How many runs a search has (300)")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  command
      ->add_option("--minimized", options.minimized,
                   "In so many searches of a variant, minimize each window's first fault (1)")
      ->check(whole_number(0, 1'000'000))
      ->type_name("N");
  command
      ->add_option("--strategy", options.strategy,
                   "Who answers (random_walk); see `afterlife list`")
      ->type_name("STRATEGY");
  command
      ->add_option("--compare", options.compare,
                   "Compare two files that --json printed, with other numbers: BASE HEAD")
      ->expected(2)
      ->type_name("FILE");
  command->add_flag("--windows", options.windows, "Compare each window by itself");
  command
      ->add_option("--canaries", options.canaries,
                   "Judge the comparison itself by this record; see ./scripts/gate.sh --self-test")
      ->type_name("FILE");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(help_footer(
      "  afterlife effectiveness argpack --searches 8\n"
      "  afterlife effectiveness --json > base.json\n"
      "  afterlife effectiveness --compare base.json head.json",
      "Exit: 0 searched, or nothing is worse, 1 something is worse or gone, 2 a file or the disk, "
      "3 usage, 4 stopped, 5 undecided: too few searches to tell."));
  return command;
}

}  // namespace harness::entries
