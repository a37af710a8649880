#include "harness/entries/cli/price/options.h"

#include "harness/entries/cli/arguments.h"

namespace harness::entries {

CLI::App* add_price(CLI::App& app, PriceOptions& options) {
  CLI::App* command = app.add_subcommand(
      "price", "Tell what each variant costs on programs that all of those compared survive");
  command->add_option("paths", options.paths, "Only these paths; every one when left out")
      ->type_name("PATH");
  command->add_option("--drawn", options.drawn, "How many programs are drawn for each path (100)")
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  add_seed(*command, options.seed, "Where the drawing starts (1)");
  command->add_option("--corpus", options.corpus, "The corpus to run (corpus)")->type_name("DIR");
  CLI::Option* time =
      command->add_flag("--time", options.time, "Measure the host's time of an op, too");
  command->add_flag("--brief", options.brief, "One row per variant")->excludes(time);
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(help_footer(
      "  afterlife price argpack\n  afterlife price --brief\n  afterlife price --time --json",
      "Exit: 0 priced, 2 a file or the disk, 3 usage, 4 stopped."));
  return command;
}

}  // namespace harness::entries
