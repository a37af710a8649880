// The options of `afterlife nightly`, and which function is whose.
#include <fmt/format.h>

#include "harness/entries/cli/arguments.h"
#include "harness/entries/cli/nightly/commands.h"
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
                  "The folder of the history, on a local disk (results/nightly)")
      ->type_name("DIR");
}

void add_json(CLI::App& command, NightlyOptions& options) {
  command.add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
}

void add_reports(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--html", options.html, "The night's page (page.html in the history's folder)")
      ->type_name("FILE");
  command.add_option("--junit", options.junit, "Write the night as JUnit's XML")->type_name("FILE");
  command.add_option("--sarif", options.sarif, "Write the findings as SARIF 2.1.0")
      ->type_name("FILE");
  command.add_option("--markdown", options.markdown, "Write the news for a pull request")
      ->type_name("FILE");
  command.add_option("--metrics", options.metrics, "Write the numbers as OpenMetrics")
      ->type_name("FILE");
  command
      .add_option(
          "--every", options.every_hours,
          "Hours from night to night, so that one that did not happen is told (24); 0: none")
      ->check(number(0, 1e5))
      ->type_name("HOURS");
  add_json(command, options);
}

void add_notify(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--notify", options.notify,
                  "Run this in a shell once the night is whole, where it is red, a night before it "
                  "is missing, or it is no longer so; $AFTERLIFE_LINE sums up, $AFTERLIFE_JSON is "
                  "a file")
      ->type_name("COMMAND");
}

void add_keep(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--keep", options.keep_bytes,
                  "The size that the history may have (2GiB): what is over is dropped, old pages "
                  "first and reproducers of closed findings last; 0: any")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
}

void add_programs(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--programs", options.programs,
                  "Search these programs of yours in place of the paths: a list in TOML "
                  "(harness/docs/how-to/programs-every-night.md)")
      ->type_name("FILE");
}

void add_diverge(CLI::App& command, NightlyOptions& options) {
  command.add_flag("--diverge", options.diverge,
                   "Say by which function what is new goes another way than in the commit of the "
                   "night before, and take for one finding what one function explains; builds "
                   "both as `afterlife diverge` does, in the checkout that this is called in");
  CLI::Option* good =
      command
          .add_option("--good-program", options.good_program,
                      "Compare with this program instead, of a build that counts edges")
          ->type_name("FILE");
  CLI::Option* bad = command
                         .add_option("--bad-program", options.bad_program,
                                     "And this one stands for what the night searches")
                         ->type_name("FILE");
  good->needs(bad);
  bad->needs(good);
}

void add_terms(CLI::App& command, NightlyOptions& options) {
  CLI::Option* runs =
      command
          .add_option("--runs", options.length.runs,
                      "How many runs, in all: the night is a function of tree, seed and runs")
          ->check(whole_number(1, nightly::kMostRuns))
          ->type_name("N");
  CLI::Option* minutes =
      command.add_option("--minutes", options.length.minutes, "How many minutes, in all (10)")
          ->check(number(0.001, 1e6))
          ->type_name("N");
  CLI::Option* hours =
      command.add_option("--hours", options.length.hours, "How many hours, in all")
          ->check(number(0.001, 1e4))
          ->type_name("N");
  runs->excludes(minutes)->excludes(hours);
  minutes->excludes(hours);
  command
      .add_option(
          "--seed", options.seed,
          "Where the searches start (the number of the night, so that each looks elsewhere)")
      ->check(whole_number(0, ~std::uint64_t{0}))
      ->type_name("N");
  command.add_option("--only", options.target, "Search only this path or variant")
      ->type_name("PATH[/VARIANT]");
  command
      .add_option("--revision", options.revision, "The revision that is searched, to be recorded")
      ->type_name("TEXT");
  add_programs(command, options);
  add_history(command, options);
}

void add_jobs(CLI::App& command, NightlyOptions& options) {
  command
      .add_option("--jobs", options.jobs,
                  "How many processes search at a time, each a shard of the night (one for each "
                  "core; with --runs one, so that the night comes to the same on every machine)")
      ->check(whole_number(1, kMostJobs))
      ->type_name("N");
}

void add_plan(CLI::App& command, NightlyOptions& options) {
  command.add_option("shards", options.shards, "How many shards")
      ->required()
      ->check(whole_number(1, nightly::kMostShards))
      ->type_name("N");
  add_terms(command, options);
  command.add_flag("--json", options.json, "Print the plan itself, one JSON object");
}

void add_shard(CLI::App& command, NightlyOptions& options) {
  command.add_option("index", options.index, "Which shard, from 1")
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
                  "Shards, and folders of them (those of the night under way)")
      ->type_name("DIR");
  add_programs(command, options);
  add_history(command, options);
  add_reports(command, options);
  add_diverge(command, options);
  add_notify(command, options);
  add_keep(command, options);
}

void add_report(CLI::App& command, NightlyOptions& options) {
  add_programs(command, options);
  add_history(command, options);
  add_reports(command, options);
}

void add_import(CLI::App& command, NightlyOptions& options) {
  command.add_option("file", options.file, "What `afterlife nightly export` printed")
      ->required()
      ->type_name("FILE");
  add_history(command, options);
}

void add_cause(CLI::App& command, NightlyOptions& options) {
  command.add_option("cause", options.cause, "A finding, as --json names its cause")
      ->required()
      ->type_name("CAUSE");
  add_history(command, options);
}

void add_mark(CLI::App& command, NightlyOptions& options) {
  add_cause(command, options);
  command.add_option("state", options.state, "fixed, ignored, or open again")
      ->required()
      ->check(CLI::IsMember({"fixed", "ignored", "open"}))
      ->type_name("STATE");
  command.add_option("--because", options.reason, "Why, in a few words")
      ->required()
      ->type_name("TEXT");
  command.add_option("--nights", options.nights, "Ignored for so many nights only")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
}

constexpr Part kParts[] = {
    {"plan", "Plan a night in shards, and print the command of each",
     "  afterlife nightly plan 8 --hours 2 | parallel", add_plan, nightly_plan},
    {"shard", "Run one shard of the planned night into a folder of its own",
     "  afterlife nightly shard 3", add_shard, nightly_shard},
    {"merge", "Merge shards into the history, in any order, and report their night",
     "  afterlife nightly merge\n  afterlife nightly merge /elsewhere/shard-2-of-8", add_merge,
     nightly_merge},
    {"report", "Report the last night again",
     "  afterlife nightly report --html night.html --junit night.xml --metrics night.prom",
     add_report, nightly_report},
    {"export", "Print the history as lines of JSON", "  afterlife nightly export > history.jsonl",
     add_history, nightly_export},
    {"import", "Make a history of what was exported",
     "  afterlife nightly import history.jsonl --history copy", add_import, nightly_import},
    {"show", "Print the reproducer of a finding",
     "  afterlife nightly show 08fa146f00c0ffee > found.repro", add_cause, nightly_show},
    {"mark", "Say of a finding that it is fixed, or to be ignored",
     "  afterlife nightly mark 08fa146f00c0ffee fixed --because 'event is kept until the launch'",
     add_mark, nightly_mark},
};

std::string footer(const char* examples) { return help_footer(examples, kExitCodes); }

}  // namespace

CLI::App* add_nightly(CLI::App& app, NightlyOptions& options) {
  CLI::App* command = app.add_subcommand(
      "nightly", "Search everything for a night, remember it, and say what is new");
  add_terms(*command, options);
  add_jobs(*command, options);
  command->add_flag("--resume", options.resume,
                    "Go on with the night that was stopped, if one was");
  add_reports(*command, options);
  add_diverge(*command, options);
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
