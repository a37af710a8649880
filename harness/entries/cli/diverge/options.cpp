// SPDX-License-Identifier: Apache-2.0
#include "harness/entries/cli/diverge/options.h"

#include "harness/entries/cli/arguments.h"
#include "harness/entries/cli/bisect/options.h"

namespace harness::entries {

CLI::App* add_diverge(CLI::App& app, DivergeOptions& options) {
  CLI::App* command = app.add_subcommand(
      "diverge", "Find the function that makes a reproducer behave differently than before");
  command->add_option("file", options.file, "A reproducer")->required()->type_name("FILE");
  CLI::Option* good =
      command->add_option("--good", options.good, "Revision without the fault")->type_name("REV");
  CLI::Option* bad =
      command->add_option("--bad", options.bad, "Revision with the fault (HEAD)")->type_name("REV");
  command
      ->add_option("--good-program", options.good_program,
                   "Program without the fault, built with the preset flow")
      ->excludes(good)
      ->type_name("FILE");
  command
      ->add_option("--bad-program", options.bad_program,
                   "Program with the fault, built in the same way")
      ->excludes(bad)
      ->type_name("FILE");
  add_build_command(*command, options.build);
  command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command->footer(
      help_footer("  afterlife diverge results/found/argpack-own-08fa146f.repro --good HEAD~3",
                  "Exit: 0 a function is named, 1 none is, 2 a file, git, a build or the disk, 3 "
                  "usage, 4 stopped."));
  return command;
}

}  // namespace harness::entries
