// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/price/options.h"

#include "harness/command/arguments.h"

namespace harness::entries {

CLI::App* add_price(CLI::App& app, PriceOptions& options) {
  CLI::App* command = app.add_subcommand("price",
                                         "Print what each variant costs on programs that run "
                                         "without a fault in all compared variants");
  command->add_option("paths", options.paths, "Paths to compare (default: all)")->type_name("PATH");
  command->add_option("--drawn", options.drawn, "Number of random programs for each path (100)")
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  add_seed(*command, options.seed, "Seed of the random programs (1)");
  command->add_option("--corpus", options.corpus, "Folder of the corpus (corpus)")
      ->type_name("DIR");
  CLI::Option* time =
      command->add_flag("--time", options.time, "Also measure the host time of an operation");
  command->add_flag("--brief", options.brief, "Print one row for each variant")->excludes(time);
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(help_footer(
      "  afterlife price argpack\n  afterlife price --brief\n  afterlife price --time --json",
      "Exit: 0 measured, 2 a file or the disk, 3 usage, 4 stopped."));
  return command;
}

}  // namespace harness::entries
