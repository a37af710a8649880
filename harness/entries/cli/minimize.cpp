// minimize: makes a reproducer as plain as its fault allows, and says what was proved about it.
#include "harness/minimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/entries/cli/commands.h"
#include "harness/entries/cli/gather.h"
#include "harness/entries/cli/interrupt.h"
#include "harness/entries/cli/programs.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The fault to keep: the first that the file records, or that its run shows.
std::string signature_to_keep(Runner& runner, const Reproducer& reproducer, const std::string& file) {
  if (!reproducer.faults.empty()) return reproducer.faults.front();
  const Outcome& outcome = runner.run(reproducer.the_case);
  if (!outcome.failed())
    throw std::runtime_error(fmt::format("{}: nothing to minimize, its run shows no fault", file));
  return outcome.faults.front().signature();
}

/// Whether every op kind of `program` occurs in `tape`: it goes the same way into its window.
bool goes_the_way_of(const Tape& tape, const Tape& program) {
  return std::all_of(program.begin(), program.end(), [&](const Decision& wanted) {
    if (wanted.site_tag != site_tag(Site::op)) return true;
    return std::any_of(tape.begin(), tape.end(), [&](const Decision& decision) {
      return decision.site_tag == wanted.site_tag && decision.value == wanted.value;
    });
  });
}

/// Ops of the smallest committed program of the fault's window: of those that go the same way, if there
/// are such; none where the window has no program.
std::optional<std::size_t> smallest_ops(const Case& the_case, int window, const std::string& corpus) {
  std::optional<std::size_t> least;
  std::optional<std::size_t> least_alike;
  if (window < 0) return least;
  try {
    for (const Program& program : read_programs(corpus, *the_case.scenario)) {
      if (program.window != window) continue;
      const Tape& tape = program.reproducer.the_case.tape;
      const std::size_t ops = op_count(tape);
      least = std::min(least.value_or(ops), ops);
      if (goes_the_way_of(the_case.tape, tape)) least_alike = std::min(least_alike.value_or(ops), ops);
    }
  } catch (const std::runtime_error&) {
    // The corpus only adds a figure to compare with.
  }
  return least_alike ? least_alike : least;
}

struct Result {
  Minimized minimized;
  std::string signature;
  int window = -1;
  double seconds = 0;
  std::optional<std::size_t> window_ops;
};

Json to_json(const Result& result) {
  const Minimized& small = result.minimized;
  const Scenario& scenario = *small.the_case.scenario;
  Json window = nullptr;
  if (result.window >= 0) window = scenario.windows[static_cast<std::size_t>(result.window)].name.view();
  Json window_ops = nullptr;
  if (result.window_ops) window_ops = *result.window_ops;
  return {{"schema", 1},
          {"signature", result.signature},
          {"window", window},
          {"ops", small.op_count},
          {"decisions", small.decision_count},
          {"further_decisions", small.further_decision_count},
          {"window_ops", window_ops},
          {"runs", small.run_count},
          {"seconds", result.seconds},
          {"finished", small.finished},
          {"statement", small.statement}};
}

void print(const Result& result, const std::string& file) {
  const Minimized& small = result.minimized;
  fmt::print("{}\n", result.signature);
  fmt::print("{} ops, {} arguments, {} further decisions; {} runs in {:.2f} s\n", small.op_count,
             small.decision_count - small.further_decision_count, small.further_decision_count,
             small.run_count, result.seconds);
  fmt::print("proved: {}\n", small.statement);
  fmt::print("written to {}\n", file);
}

}  // namespace

int minimize(const MinimizeOptions& options) {
  const Reproducer before = read_reproducer(options.file);
  Runner runner;
  Limits limits;
  limits.stop = &take_interrupts();
  Result result;
  result.signature = signature_to_keep(runner, before, options.file);
  const double start = now();
  result.minimized = harness::minimize(runner, before.the_case, result.signature, limits);
  result.seconds = now() - start;
  if (!result.minimized.reproduced)
    throw std::runtime_error(fmt::format("{}: its run does not show {}; see `afterlife replay`",
                                         options.file, result.signature));
  const Outcome& outcome = runner.run(result.minimized.the_case);
  result.window = outcome.windows[fault_index(outcome, result.signature)];
  Reproducer after = describe(runner, outcome, result.minimized.the_case);
  put_first(after, result.signature);
  result.window_ops = smallest_ops(after.the_case, result.window, options.programs);
  const std::string file = options.out.empty() ? options.file : options.out;
  write_reproducer(file, after);
  if (options.json)
    fmt::print("{}\n", to_json(result).dump(2));
  else
    print(result, file);
  return result.minimized.deterministic ? kAsClaimed : kNotAsClaimed;
}

}  // namespace harness::entries
