// SPDX-License-Identifier: Apache-2.0
// The options of `afterlife nightly`, and the function of each subcommand.
#include <fmt/format.h>

#include "harness/command/arguments.h"
#include "harness/nightly/command/commands.h"
#include "harness/nightly/plan.h"

namespace harness::entries {
namespace {

constexpr const char* kExitCodes =
    "Exit: 0 green, 1 red (a sound variant failed, a recorded tape or finding no longer replays, "
    "or "
    "a canary was missed in 6200 runs or more), 2 a file or the disk, 3 usage, 4 stopped.";

constexpr std::uint64_t kMostJobs = 1024;

struct Part {
  const char* name;
  const char* summary;
  const char* example;
  void (*add)(CLI::App& command, NightlyOptions& options);
  int (*run)(const NightlyOptions& options);
};

void add_history(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--history", options.history,
                  "Folder of the history, on a local disk (results/nightly)")
      ->type_name("DIR");
}

void add_json(CLI::App& command, NightlyOptions& options) {
  command.add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
}

void add_reports(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--html", options.html, "Page of the night (page.html in the history's folder)")
      ->type_name("FILE");
  command.add_option("--junit", options.junit, "Write the night as JUnit XML")->type_name("FILE");
  command.add_option("--sarif", options.sarif, "Write the findings as SARIF 2.1.0")
      ->type_name("FILE");
  command.add_option("--markdown", options.markdown, "Write what is new, for a pull request")
      ->type_name("FILE");
  command.add_option("--metrics", options.metrics, "Write the numbers as OpenMetrics")
      ->type_name("FILE");
  command
      .add_option("--every", options.every_hours,
                  "Expected hours between nights, to report a missing one (24); 0: do not check")
      ->check(number(0, 1e5))
      ->type_name("HOURS");
  add_json(command, options);
}

void add_notify(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--notify", options.notify,
                  "Shell command to run after the night if it is red or an earlier night is "
                  "missing, and once when neither is true any more; $AFTERLIFE_LINE is a summary, "
                  "$AFTERLIFE_JSON a file")
      ->type_name("COMMAND");
}

void add_keep(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--keep", options.keep_bytes,
                  "Maximum size of the history (2GiB); old pages are deleted first, reproducers of "
                  "closed findings last; 0: unlimited")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
}

void add_programs(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--programs", options.programs,
                  "Search the programs of this TOML list instead of the paths "
                  "(harness/docs/how-to/programs-every-night.md)")
      ->type_name("FILE");
}

void add_terms(CLI::App& command, NightlyOptions& options) {
  CLI::Option* runs =
      command
          .add_option("--runs", options.length.runs,
                      "Total number of runs; the same tree, seed and number give the same night")
          ->check(whole_number(1, nightly::kMostRuns))
          ->type_name("N");
  CLI::Option* minutes =
      command.add_option("--minutes", options.length.minutes, "Total minutes (10)")
          ->check(number(0.001, 1e6))
          ->type_name("N");
  CLI::Option* hours = command.add_option("--hours", options.length.hours, "Total hours")
                           ->check(number(0.001, 1e4))
                           ->type_name("N");
  runs->excludes(minutes)->excludes(hours);
  minutes->excludes(hours);
  command
      .add_option("--seed", options.seed,
                  "Seed of the searches (the number of the night, so that nights differ)")
      ->check(whole_number(0, ~std::uint64_t{0}))
      ->type_name("N");
  command.add_option("--only", options.target, "Search only this path or variant")
      ->type_name("PATH[/VARIANT]");
  command
      .add_option("--revision", options.revision, "Name of the searched revision, for the record")
      ->type_name("TEXT");
  add_programs(command, options);
  add_history(command, options);
}

void add_jobs(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--jobs", options.jobs,
                  "Number of concurrent processes, each a shard of the night (one per core; with "
                  "--runs 1, so that every machine has the same result)")
      ->check(whole_number(1, kMostJobs))
      ->type_name("N");
}

void add_plan(CLI::App& command, NightlyOptions& options) {
  command.add_option("shards", options.shards, "Number of shards")
      ->required()
      ->check(whole_number(1, nightly::kMostShards))
      ->type_name("N");
  add_terms(command, options);
  command.add_flag("--json", options.json, "Print the plan itself, one JSON object");
}

void add_shard(CLI::App& command, NightlyOptions& options) {
  command.add_option("index", options.index, "Number of the shard, from 1")
      ->required()
      ->check(whole_number(1, nightly::kMostShards))
      ->type_name("I");
  add_programs(command, options);
  add_history(command, options);
  add_json(command, options);
}

void add_merge(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("folders", options.folders,
                  "Shards, and folders of shards (default: those of the current night)")
      ->type_name("DIR");
  add_programs(command, options);
  add_history(command, options);
  add_reports(command, options);
  add_notify(command, options);
  add_keep(command, options);
}

void add_report(CLI::App& command, NightlyOptions& options) {
  add_programs(command, options);
  add_history(command, options);
  add_reports(command, options);
}

void add_import(CLI::App& command, NightlyOptions& options) {
  command.add_option("file", options.file, "Output of `afterlife nightly export`")
      ->required()
      ->type_name("FILE");
  add_history(command, options);
}

void add_cause(CLI::App& command, NightlyOptions& options) {
  command.add_option("cause", options.cause, "Cause of a finding, as in --json")
      ->required()
      ->type_name("CAUSE");
  add_history(command, options);
}

void add_mark(CLI::App& command, NightlyOptions& options) {
  add_cause(command, options);
  command.add_option("state", options.state, "New state")
      ->required()
      ->check(CLI::IsMember({"fixed", "ignored", "open"}))
      ->type_name("STATE");
  command.add_option("--because", options.reason, "Reason, in a few words")
      ->required()
      ->type_name("TEXT");
  command.add_option("--nights", options.nights, "Ignore the finding for N nights only")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
}

constexpr Part kParts[] = {
    {"plan", "Plan a night in shards, and print a command for each",
     "  afterlife nightly plan 8 --hours 2 | parallel", add_plan, nightly_plan},
    {"shard", "Run one shard of the planned night, and write it to a separate folder",
     "  afterlife nightly shard 3", add_shard, nightly_shard},
    {"merge", "Merge shards into the history, in any order, and report the night",
     "  afterlife nightly merge\n  afterlife nightly merge /elsewhere/shard-2-of-8", add_merge,
     nightly_merge},
    {"report", "Report the last night again",
     "  afterlife nightly report --html night.html --junit night.xml --metrics night.prom",
     add_report, nightly_report},
    {"export", "Print the history as lines of JSON", "  afterlife nightly export > history.jsonl",
     add_history, nightly_export},
    {"import", "Create a history from an export",
     "  afterlife nightly import history.jsonl --history copy", add_import, nightly_import},
    {"show", "Print the reproducer of a finding",
     "  afterlife nightly show 08fa146f00c0ffee > found.repro", add_cause, nightly_show},
    {"mark", "Mark a finding as fixed, ignored or open",
     "  afterlife nightly mark 08fa146f00c0ffee fixed --because 'event is kept until the launch'",
     add_mark, nightly_mark},
};

std::string footer(const char* examples) { return help_footer(examples, kExitCodes); }

}  // namespace

CLI::App* add_nightly(CLI::App& app, NightlyOptions& options) {
  CLI::App* command = app.add_subcommand(
      "nightly", "Search everything for a night, record the results, and report what is new");
  add_terms(*command, options);
  add_jobs(*command, options);
  command->add_flag("--resume", options.resume, "Continue the interrupted night, if there is one");
  add_reports(*command, options);
  add_notify(*command, options);
  add_keep(*command, options);
  command->footer(
      footer("  afterlife nightly --hours 8\n"
             "  afterlife nightly --runs 1000000 --seed 7 --history /var/afterlife --json\n"
             "  afterlife nightly --notify 'mail -s \"$AFTERLIFE_LINE\" team < "
             "\"$AFTERLIFE_JSON\"'"));
  command->require_subcommand(0, 1);
  for (const Part& part : kParts) {
    CLI::App* sub = command->add_subcommand(part.name, part.summary);
    part.add(*sub, options);
    sub->footer(footer(part.example));
  }
  return command;
}

int run_nightly(const CLI::App& command, const NightlyOptions& options) {
  for (const Part& part : kParts)
    if (command.get_subcommand(part.name)->parsed()) return part.run(options);
  return nightly(options);
}

}  // namespace harness::entries
