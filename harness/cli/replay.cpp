// SPDX-License-Identifier: Apache-2.0
// replay: runs a reproducer, prints its story, and says whether the run was the recorded one.
#include "harness/cli/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/base/files/fail.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/cli/footer.h"
#include "harness/cli/good_program/steps.h"
#include "harness/cli/replay_many.h"
#include "harness/client/command/gdb.h"
#include "harness/client/command/replay_finding.h"
#include "harness/client/command/run_client.h"
#include "harness/client/command/view_place.h"
#include "harness/command/exit_code.h"
#include "harness/command/gather.h"
#include "harness/command/interrupt.h"
#include "harness/report/json.h"
#include "harness/report/page.h"
#include "harness/report/perfetto_trace.h"
#include "harness/report/sarif.h"
#include "harness/report/story.h"
#include "harness/report/story/why.h"

namespace harness::entries {
namespace {

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// Returns an element of `these` that is not in `those`, or null. Both are sorted.
const std::string* missing(const std::vector<std::string>& these,
                           const std::vector<std::string>& those) {
  for (const std::string& text : these)
    if (!std::binary_search(those.begin(), those.end(), text)) return &text;
  return nullptr;
}

/// Refuses a view of several files, and one whose file cannot be written. `what`: a page or a
/// trace.
void require_place(const std::string& file, const ReplayOptions& options, std::string_view option,
                   std::string_view what) {
  if (file.empty()) return;
  if (is_many(options.files))
    throw UsageError(
        fmt::format("{} is a {} about one case: name one file, not a folder", option, what));
  require_view_place(file, what);
  std::error_code not_there;
  if (std::filesystem::equivalent(file, options.files.front(), not_there))
    fail(file, fmt::format("is what is replayed, which no {} replaces: name another file", what));
}

/// Refuses options that cannot be combined with gdb.
void require_gdb_alone(const ReplayOptions& options) {
  if (is_many(options.files)) throw UsageError("--gdb takes one case: name one file, not a folder");
  const bool has_views = !options.html.empty() || !options.trace.empty() || !options.sarif.empty();
  if (has_views || options.why)
    throw UsageError("--gdb writes no files: leave out --html, --trace, --sarif and --why");
}

/// Searches for the cause. Call this last: it runs the case again, and other views show the last
/// run.
void print_why(Runner& runner, const reports::Telling& telling, const std::string& signature) {
  fmt::print("\n{}", reports::cause_in_words(telling));
  std::fflush(stdout);
  fmt::print("{}", reports::remedy_in_words(least_repair(runner, {telling.the_case, signature})));
}

}  // namespace

std::string difference(const Reproducer& recorded, const Reproducer& now, std::uint64_t trace) {
  const std::vector<std::string> before = sorted(recorded.faults);
  const std::vector<std::string> after = sorted(now.faults);
  if (const std::string* fault = missing(before, after))
    return fmt::format("the file has a fault that the run does not have: {}",
                       shown(*fault, kShownSignatureBytes));
  const bool says_nothing = recorded.trace == 0 && before.empty();
  if (const std::string* fault = missing(after, before); fault != nullptr && !says_nothing)
    return fmt::format("the run has a fault that the file does not have: {}",
                       shown(*fault, kShownSignatureBytes));
  if (recorded.trace != 0 && recorded.trace != trace)
    return fmt::format("the events differ: trace {:016x} in the file, {:016x} in the run",
                       recorded.trace, trace);
  return {};
}

CLI::App* add_replay(CLI::App& app, ReplayOptions& options) {
  CLI::App* command = app.add_subcommand(
      "replay",
      "Run a reproducer or a finding, print its story, and compare the result with the file");
  command
      ->add_option("files", options.files,
                   "Reproducers, findings of `run`, and folders of both; several files give a line "
                   "each and a summary")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--html", options.html,
                   "Write a page about the case: timeline, story and choices; needs no network")
      ->type_name("FILE");
  command
      ->add_option("--trace", options.trace,
                   "Write a trace of the run, for https://ui.perfetto.dev")
      ->type_name("FILE");
  command
      ->add_option("--sarif", options.sarif, "Write the fault and the run that led to it as SARIF")
      ->type_name("FILE");
  command
      ->add_option("--steps", options.steps,
                   "Write the steps of the run, for `triage --good-program`")
      ->type_name("FILE");
  command->add_option("--step", options.step, "Print the call stack at this step")->type_name("N");
  command->add_flag(
      "--trust", options.trust,
      "Start the command in a finding of `run`, even if another user or machine wrote it");
  CLI::Option* json =
      command->add_flag("--json", options.json, "One JSON object on stdout (results/README.md)");
  command
      ->add_flag("--gdb", options.gdb,
                 "Stop in gdb where the fault is reported, in the thread that causes it")
      ->excludes(json);
  command
      ->add_flag("--why", options.why,
                 "Print which order or reference is missing, and which repair removes the fault")
      ->excludes(json);
  command->footer(claim_footer(
      "  afterlife replay corpus/argpack/repros/borrow-nested_replaced.repro\n"
      "  afterlife replay corpus/argpack/repros/borrow-nested_replaced.repro --why\n"
      "  afterlife replay corpus/argpack/repros/borrow-nested_replaced.repro --html story.html\n"
      "  afterlife replay results/found/crash-use_after_free-6e8e6cb6.run.json --html page.html\n"
      "  afterlife replay corpus/argpack/repros corpus/alltoallv/repros"));
  return command;
}

int replay(const ReplayOptions& options) {
  require_place(options.html, options, "--html", "page");
  require_place(options.trace, options, "--trace", "trace");
  require_place(options.sarif, options, "--sarif", "log");
  require_place(options.steps, options, "--steps", "list of steps");
  if (options.step && options.steps.empty()) throw UsageError("--step needs --steps");
  if (options.why && is_many(options.files))
    throw UsageError("--why takes one case: name one reproducer, not a folder");
  if (options.gdb) {
    require_gdb_alone(options);
    return replay_in_gdb(options);
  }
  if (is_many(options.files)) return replay_many(options);
  if (is_finding_file(options.files.front())) {
    if (!options.steps.empty())
      throw UsageError(printable(options.files.front()) +
                       " is a finding of `run`; --steps is for reproducers (.repro)");
    return replay_finding(options);
  }
  if (options.trust)
    throw UsageError("--trust is for findings of `run`: a reproducer starts no command");
  end_on_interrupts();
  const Reproducer recorded = read_reproducer(options.files.front());
  Runner runner;
  if (!options.steps.empty())
    write_whole_file(options.steps, steps_text(follow(runner, recorded.the_case, options.step)));
  const Outcome& outcome = runner.run(recorded.the_case);
  const std::uint64_t trace = runner.trace_hash();
  const std::string unasked = never_asked(runner, recorded);
  const Reproducer now = describe(runner, outcome, recorded.the_case);
  const std::string differs = difference(recorded, now, trace);
  const bool says_nothing = recorded.trace == 0 && recorded.faults.empty();
  const std::string signature = recorded.faults.empty()
                                    ? (now.faults.empty() ? "" : now.faults.front())
                                    : recorded.faults.front();
  const reports::Telling telling{recorded.the_case, outcome, runner.world(),
                                 fault_index(outcome, signature)};
  if (!options.html.empty())
    write_whole_file(options.html,
                     page(telling, {recorded, options.files.front(), signature, differs, unasked}));
  if (!options.trace.empty()) write_whole_file(options.trace, reports::perfetto_trace(telling));
  if (!options.sarif.empty())
    write_whole_file(options.sarif, reports::case_sarif(telling, options.files.front()));
  if (options.json) {
    fmt::print("{}\n", reports::to_json(telling, trace, signature, differs.empty(), unasked));
  } else {
    fmt::print("{}\n", reports::story(telling, reports::Terminal::of(1)));
    if (!unasked.empty()) fmt::print("{}\n", unasked);
    fmt::print("{}\n", !differs.empty() ? "not as recorded: " + differs
                       : says_nothing   ? "the file records no result to compare with"
                                        : "as recorded");
    print_written(options);
    if (options.why && outcome.failed()) print_why(runner, telling, signature);
  }
  return differs.empty() ? kAsClaimed : kNotAsClaimed;
}

}  // namespace harness::entries
