// SPDX-License-Identifier: Apache-2.0
// gate: compares two commands by the rule of harness/gate/rule.h, and writes the result as a table,
// and to the requested files.
#include "harness/gate/command/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "harness/base/files/whole_file.h"
#include "harness/command/command_words.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/gate/canaries.h"
#include "harness/gate/commands.h"
#include "harness/gate/comparison.h"
#include "harness/gate/sample_file.h"
#include "harness/gate/views/calibration_views.h"
#include "harness/gate/views/canary_page.h"
#include "harness/gate/views/gate_views.h"
#include "harness/report/progress.h"

namespace harness::entries {
namespace {

using gate::Comparison;
using gate::Outcome;

/// Returns the looks of the rule up to this number of rounds. Further looks double the number.
std::vector<std::size_t> looks_up_to(std::size_t rounds) {
  std::vector<std::size_t> looks;
  for (std::size_t look = gate::Rule().looks.front(); look < rounds; look *= 2)
    looks.push_back(look);
  looks.push_back(rounds);
  return looks;
}

gate::Plan plan_of(const GateOptions& options) {
  gate::Plan plan{.base = options.base, .head = options.head};
  plan.repetition_seconds = options.min_time;
  plan.rule.looks = looks_up_to(options.rounds);
  plan.rule.seed = options.seed;
  return plan;
}

/// Reports the progress of a source on stderr, and ends it at the user's request.
class Watched : public gate::Source {
 public:
  Watched(gate::Source& source, const std::atomic<bool>& stop) : source_(source), stop_(stop) {}

  std::optional<gate::Round> measure(const gate::Request& request) override {
    round_ = request.round + 1;
    show(fmt::format("{}round {}, {} undecided", request.confirmation > 0 ? "confirming: " : "",
                     round_, reports::counted(request.wanted.size(), "benchmark")));
    return is_stopped() ? std::nullopt : source_.measure(request);
  }
  gate::End why_ended() const override {
    return is_stopped() ? gate::End::stopped : source_.why_ended();
  }
  /// Erases the progress line.
  void clear() { progress_.clear(); }
  bool must_end() override {
    show(fmt::format("computing after round {}", round_));
    return source_.must_end() || is_stopped();
  }

 private:
  bool is_stopped() const { return stop_.load(std::memory_order_relaxed); }
  void show(const std::string& what) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (progress_.due(seconds)) progress_.show(seconds, fmt::format("{}, {:.0f} s", what, seconds));
  }

  gate::Source& source_;
  const std::atomic<bool>& stop_;
  std::size_t round_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  reports::Progress progress_{2, reports::Terminal::of(2)};
};

/// Judges the measurements of the source. A failure to measure is part of the result.
Comparison compared(gate::Source& source, const gate::Plan& plan, const std::atomic<bool>& stop) {
  Comparison comparison{plan, {}, {}};
  Watched watched(source, stop);
  gate::Trial trial(watched, plan.rule);
  try {
    trial.run();
  } catch (const std::runtime_error& error) {
    comparison.failure = error.what();
  }
  comparison.result = trial.result();
  return comparison;
}

Comparison measured(const GateOptions& options) {
  const gate::Plan plan = plan_of(options);
  std::optional<gate::SampleWriter> samples;
  if (!options.samples.empty()) samples.emplace(options.samples, plan);
  const std::atomic<bool>& stop = take_interrupts();
  gate::Commands source(plan.base, plan.head, plan.repetition_seconds,
                        {options.seconds, options.timeout_seconds}, plan.rule.seed, stop,
                        [&](const gate::Sample& sample) {
                          if (samples) samples->add(sample);
                        });
  Comparison comparison = compared(source, plan, stop);
  if (samples && comparison.failure.empty())
    samples->end(comparison.result.end, comparison.result.is_unjudged);
  return comparison;
}

Comparison recomputed(const GateOptions& options) {
  end_on_interrupts();
  gate::Recorded source(options.recompute, options.seconds);
  return compared(source, source.plan(), take_interrupts());
}

void require_sense(const GateOptions& options) {
  const bool has_commands = !options.base.empty() || !options.head.empty();
  if (!options.recompute.empty() && has_commands)
    throw UsageError("--recompute reads samples and takes no commands");
  if (!options.canaries.empty() && (has_commands || !options.recompute.empty()))
    throw UsageError("--canaries reads a record and takes neither commands nor --recompute");
  if (options.html.empty() && !(options.rates + options.searches).empty())
    throw UsageError("--rates and --searches need --html");
  if (!options.recompute.empty() || !options.canaries.empty()) return;
  if (options.calibrating_rounds > 0) {
    if (options.base.empty() || !options.head.empty())
      throw UsageError(
          "expected one command, which is compared with itself: afterlife gate --calibrate N -- "
          "COMMAND...");
    return require_command(options.base, "afterlife gate --calibrate N --");
  }
  if (options.base.empty() || options.head.empty())
    throw UsageError(
        "expected two commands: afterlife gate [OPTION...] -- BASE... -- HEAD...; see `afterlife "
        "gate --help`");
  require_command(options.base, "afterlife gate --");
  require_command(options.head, "afterlife gate -- BASE... --");
}

/// Checks before measuring that the output files can be written.
void require_files(const GateOptions& options) {
  for (const std::string* file : {&options.junit, &options.markdown, &options.html})
    if (!file->empty()) require_replaceable(*file);
}

/// Reads the error rates of the gate from one record or both.
reports::CanaryReport rates_of(const std::string& canaries, const std::string& searches) {
  reports::CanaryReport report;
  if (!canaries.empty()) {
    const gate::CanaryRecord record = gate::read_canaries(canaries);
    report.rows = gate::judge_canaries(record, gate::Planted::nothing);
    report.plants = gate::plant_in_gate(record);
  }
  if (!searches.empty())
    report.searches = gate::judge_effectiveness(gate::EffectivenessRecord(searches), {});
  return report;
}

/// Writes the page again with the error rates of the gate, which take a minute to compute.
void add_rates_to_page(const GateOptions& options, const Comparison& comparison) {
  if (options.rates.empty() && options.searches.empty()) return;
  end_on_interrupts();
  const reports::CanaryReport rates = rates_of(options.rates, options.searches);
  write_whole_file(options.html, reports::gate_page(comparison, &rates));
}

void write_files(const GateOptions& options, const Comparison& comparison) {
  if (!options.junit.empty()) write_whole_file(options.junit, reports::gate_junit(comparison));
  if (!options.markdown.empty())
    write_whole_file(options.markdown, reports::gate_markdown(comparison));
  if (!options.html.empty()) write_whole_file(options.html, reports::gate_page(comparison));
}

/// Reports the error rates of the gate in a record whose answers are known.
int judge_itself(const GateOptions& options) {
  end_on_interrupts();
  if (!options.html.empty()) require_replaceable(options.html);
  const reports::CanaryReport report = rates_of(options.canaries, options.searches);
  if (!options.html.empty()) write_whole_file(options.html, reports::canary_page(report));
  if (options.json)
    fmt::print("{}\n", reports::canary_json(report));
  else
    fmt::print("{}", reports::canary_table(report, reports::Terminal::of(1)));
  return report.is_red() ? kNotAsClaimed : kAsClaimed;
}

/// Compares a command with itself, and reports the error rate of the gate on this machine.
int calibrate(const GateOptions& options) {
  gate::Commands source(options.base, options.base, options.min_time,
                        {options.seconds, options.timeout_seconds}, options.seed, take_interrupts(),
                        [](const gate::Sample&) {});
  Watched watched(source, take_interrupts());
  gate::CanaryRecord record;
  std::vector<gate::CanaryRound>& rounds = record["here"];
  for (std::size_t i = 0; i < options.calibrating_rounds; ++i) {
    const std::optional<gate::Round> round = watched.measure({.round = i});
    if (!round) break;
    rounds.push_back(gate::planted_in(*round));
  }
  watched.clear();
  if (const std::size_t least = gate::Rule().most_rounds(); rounds.size() < least)
    throw std::runtime_error(fmt::format(
        "{} rounds were measured, but one comparison may take {}; use a few thousand rounds",
        rounds.size(), least));
  reports::CanaryReport report{gate::judge_canaries(record, gate::Planted::nothing), {}};
  if (options.json)
    fmt::print("{}\n", reports::calibration_json(report, rounds.size()));
  else
    fmt::print("{}", reports::calibration_table(report, rounds.size(), reports::Terminal::of(1)));
  return report.is_red() ? kNotAsClaimed : kAsClaimed;
}

int code_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return kAsClaimed;
    case Outcome::regressed:
      return kNotAsClaimed;
    case Outcome::stopped:
      return kStopped;
    case Outcome::undecided:
      return kUndecided;
    default:
      return kWorld;
  }
}

}  // namespace

int gate(const GateOptions& options) {
  require_sense(options);
  if (options.calibrating_rounds > 0) return calibrate(options);
  if (!options.canaries.empty()) return judge_itself(options);
  require_files(options);
  const Comparison comparison = options.recompute.empty() ? measured(options) : recomputed(options);
  write_files(options, comparison);
  if (options.json)
    fmt::print("{}\n", reports::gate_json(comparison));
  else if (!comparison.result.rows.empty() || comparison.failure.empty())
    fmt::print("{}", reports::gate_table(comparison, reports::Terminal::of(1)));
  if (!comparison.failure.empty()) throw std::runtime_error(comparison.failure);
  if (comparison.result.end != gate::End::stopped) {
    std::fflush(stdout);
    add_rates_to_page(options, comparison);
  }
  return code_of(comparison.outcome());
}

}  // namespace harness::entries
