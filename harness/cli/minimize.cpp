// SPDX-License-Identifier: Apache-2.0
// minimize: simplifies a reproducer while its fault stays, and reports what was proved about it.
#include "harness/cli/minimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/cli/footer.h"
#include "harness/cli/programs.h"
#include "harness/client/command/minimize_finding.h"
#include "harness/client/command/run_client.h"
#include "harness/command/exit_code.h"
#include "harness/command/gather.h"
#include "harness/command/interrupt.h"
#include "harness/command/output_folder.h"
#include "harness/report/json_text.h"
#include "harness/search/minimize/minimize.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string corpus_of(const MinimizeOptions& options) {
  return options.programs.empty() ? "corpus" : options.programs;
}

/// Returns the fault to keep: the first that the file records, or that its run shows.
std::string signature_to_keep(Runner& runner, const Reproducer& reproducer,
                              const std::string& file) {
  if (!reproducer.faults.empty()) return reproducer.faults.front();
  const Outcome& outcome = runner.run(reproducer.the_case);
  if (!outcome.failed())
    throw std::runtime_error(fmt::format("{}: nothing to minimize, its run shows no fault", file));
  return outcome.faults.front().signature();
}

/// Returns the number of ops of the committed program most similar to the case, among those of the
/// fault's window. There is one for each way in (a call, a context made by hand, an earlier fault),
/// and a test proves that each is minimal.
std::optional<std::size_t> window_ops(const Case& the_case, int window, const std::string& corpus) {
  std::optional<std::size_t> ops;
  std::size_t most_shared = 0;
  if (window < 0) return ops;
  try {
    for (const Program& program : read_programs(corpus, *the_case.scenario)) {
      if (program.window != window) continue;
      const Tape& tape = program.reproducer.the_case.tape;
      const std::size_t shared = shared_ops(the_case.tape, tape);
      if (ops && (shared < most_shared || (shared == most_shared && op_count(tape) >= *ops)))
        continue;
      most_shared = shared;
      ops = op_count(tape);
    }
  } catch (const std::runtime_error&) {
    // A corpus that cannot be read is ignored, because it only provides a number to compare with.
  }
  return ops;
}

/// Returns the number of ops of the smallest known case that shows the fault in this variant and
/// config.
std::optional<std::size_t> smallest_known_ops(Runner& runner, Case the_case,
                                              const std::string& signature,
                                              const std::vector<Tape>& known) {
  for (const Tape& tape : known) {
    the_case.tape = tape;
    const Outcome& outcome = runner.run(the_case);
    const auto shown = [&](const Fault& fault) { return fault.signature() == signature; };
    if (std::any_of(outcome.faults.begin(), outcome.faults.end(), shown)) return op_count(tape);
  }
  return {};
}

struct Result {
  Minimized minimized;
  std::string signature;
  /// A sentence about choices of the file that its run does not make; or "".
  std::string never_asked;
  int window = -1;
  double seconds = 0;
  bool stopped = false;                   ///< The user stopped it before it was minimal.
  std::optional<std::size_t> window_ops;  ///< Ops of the most similar program of its window.
  /// Ops of the smallest known case that also shows this fault.
  std::optional<std::size_t> known_ops;
};

Json to_json(const Result& result) {
  const Minimized& small = result.minimized;
  const Scenario& scenario = *small.the_case.scenario;
  Json window = nullptr;
  if (result.window >= 0)
    window = scenario.windows[static_cast<std::size_t>(result.window)].name.view();
  const auto or_null = [](std::optional<std::size_t> ops) {
    return ops ? Json(*ops) : Json(nullptr);
  };
  return {{"schema", 1},
          {"signature", result.signature},
          {"window", window},
          {"ops", small.op_count},
          {"decisions", small.decision_count},
          {"further_decisions", small.further_decision_count},
          {"window_ops", or_null(result.window_ops)},
          {"known_ops", or_null(result.known_ops)},
          {"runs", small.run_count},
          {"seconds", result.seconds},
          {"never_asked", result.never_asked},
          {"finished", small.finished},
          {"stopped", result.stopped},
          {"statement", small.statement}};
}

void print(const Result& result, const std::string& file) {
  const Minimized& small = result.minimized;
  fmt::print("{}\n", shown(result.signature, kShownSignatureBytes));
  fmt::print("{} operations, {} arguments, {} further choices; {} runs in {:.2f} s\n",
             small.op_count, small.decision_count - small.further_decision_count,
             small.further_decision_count, small.run_count, result.seconds);
  if (!result.never_asked.empty()) fmt::print("of the file, {}\n", result.never_asked);
  if (!small.deterministic) {
    fmt::print("{}\nnothing is written\n", small.statement);
    return;
  }
  fmt::print("proved: {}\n", small.statement);
  fmt::print("written to {}\n", printable(file));
}

/// Returns the default output file: "found.min.repro" for "found.repro".
std::string beside(std::string file) {
  constexpr std::string_view kEnding = ".repro";
  if (file.ends_with(kEnding)) file.resize(file.size() - kEnding.size());
  return file + ".min.repro";
}

/// Writes the smallest case, with the comments of `text`, and records what its run shows. If the
/// run no longer shows the fault, writes nothing and returns false.
bool write(Runner& runner, Result& result, const MinimizeOptions& options, const std::string& file,
           const std::string& text) {
  const Case& smallest = result.minimized.the_case;
  const Outcome& outcome = runner.run(smallest);
  const std::size_t index = fault_index(outcome, result.signature);
  if (!outcome.failed() || outcome.faults[index].signature() != result.signature) return false;
  result.window = outcome.windows[index];
  Reproducer after = describe(runner, outcome, smallest);
  put_first(after, result.signature);
  result.window_ops = window_ops(after.the_case, result.window, corpus_of(options));
  write_whole_file(file,
                   keep_comments(result.stopped ? text : without_caveat(text), to_string(after)));
  return true;
}

}  // namespace

CLI::App* add_minimize(CLI::App& app, MinimizeOptions& options) {
  CLI::App* command = app.add_subcommand(
      "minimize",
      "Remove every choice that the fault does not need, and write the result beside the file");
  command->add_option("file", options.file, "Reproducer, or finding of `run`")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--out", options.out,
                   "Output file, which may be the input (FILE.min.repro, FILE.min.run.json)")
      ->type_name("FILE");
  command
      ->add_option("--programs", options.programs,
                   "Folder of the corpus with smaller known cases (corpus)")
      ->type_name("DIR");
  command->add_flag(
      "--trust", options.trust,
      "Start the command in a finding of `run`, even if another user or machine wrote it");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  command->footer(
      claim_footer("  afterlife minimize results/found/argpack-borrow-08fa146f.repro\n"
                   "  afterlife minimize results/found/crash-use_after_free-6e8e6cb6.run.json"));
  return command;
}

int minimize(const MinimizeOptions& options) {
  if (is_finding_file(options.file)) return minimize_finding(options);
  if (options.trust)
    throw UsageError("--trust is for findings of `run`: a reproducer starts no command");
  const std::string text = read_reproducer_text(options.file);
  const Reproducer before = parse_reproducer(text, options.file);
  const std::string file = options.out.empty() ? beside(options.file) : options.out;
  require_replaceable(file);
  if (!options.programs.empty()) read_programs(options.programs, *before.the_case.scenario);
  Runner runner;
  Limits limits;
  limits.stop = &take_interrupts();
  Result result;
  runner.run(before.the_case);
  result.never_asked = never_asked(runner, before);
  result.signature = signature_to_keep(runner, before, options.file);
  const double start = now();
  const std::vector<Tape> known =
      read_smallest(corpus_of(options), *before.the_case.scenario, result.signature);
  result.known_ops = smallest_known_ops(runner, before.the_case, result.signature, known);
  result.minimized = harness::minimize(runner, before.the_case, result.signature, limits, known);
  result.seconds = now() - start;
  if (!result.minimized.reproduced)
    throw std::runtime_error(fmt::format("{}: its run does not show {}; see `afterlife replay`",
                                         options.file,
                                         shown(result.signature, kShownSignatureBytes)));
  result.stopped = limits.stop->load(std::memory_order_relaxed);
  if (result.minimized.deterministic && !write(runner, result, options, file, text)) {
    result.minimized.deterministic = false;
    result.minimized.statement = "its last replay lost the fault, which is a bug of the harness";
  }
  if (options.json)
    fmt::print("{}\n", reports::to_text(to_json(result)));
  else
    print(result, file);
  if (!result.minimized.deterministic) return kNotAsClaimed;
  return result.stopped ? kStopped : kAsClaimed;
}

}  // namespace harness::entries
