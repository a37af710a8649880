// SPDX-License-Identifier: Apache-2.0
#include "harness/entries/cli/bisect/options.h"

#include "harness/entries/cli/arguments.h"

namespace harness::entries {

void add_build_command(CLI::App& command, BuildCommand& build) {
  command
      .add_option("--build", build.command,
                  fmt::format("Shell command that builds a revision ({})", build.command))
      ->type_name("COMMAND");
  command
      .add_option("--program", build.program,
                  fmt::format("Program that the build creates ({})", build.program))
      ->type_name("FILE");
}

CLI::App* add_bisect(CLI::App& app, BisectOptions& options) {
  CLI::App* command = app.add_subcommand(
      "bisect", "Find the commit that introduced the fault of a reproducer, or fixed it");
  command->add_option("file", options.file, "A reproducer")->required()->type_name("FILE");
  CLI::Option* good = command
                          ->add_option("--good", options.good,
                                       "Revision without the fault; if it is later than --bad, "
                                       "find the commit that fixed it")
                          ->type_name("REV");
  CLI::Option* bad =
      command->add_option("--bad", options.bad, "Revision with the fault (HEAD)")->type_name("REV");
  add_build_command(*command, options.build);
  CLI::Option* runs =
      command
          ->add_option(
              "--runs", options.runs,
              "Maximum number of runs to measure how soon a search finds the fault (32000)")
          ->check(whole_number(0, ~std::uint64_t{0} / 16))
          ->type_name("N");
  CLI::Option* json =
      command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  CLI::Option* step =
      command
          ->add_flag("--step", options.step,
                     "Build and judge the current checkout, for `git bisect run`: exit 0, 1, 125")
          ->excludes(good)
          ->excludes(bad)
          ->excludes(runs)
          ->excludes(json);
  command
      ->add_flag("--fixed", options.fixed,
                 "With --step: exit with 0 if the fault appears, and 1 if not")
      ->needs(step);
  command->footer(
      help_footer("  afterlife bisect results/found/argpack-own-08fa146f.repro --good v1.2\n"
                  "  afterlife bisect old.repro --bad v1.2 --good main",
                  "Exit: 0 one commit is left, 1 several (revisions between them cannot be "
                  "tested), 2 a file, git or the disk, 3 usage, 4 stopped."));
  return command;
}

}  // namespace harness::entries
