// gate: compares two commands by the rule of harness/gate/rule.h, and shows what came of it as a
// table, and in files if they are wanted.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "harness/entries/cli/command_words.h"
#include "harness/entries/cli/commands.h"
#include "harness/entries/cli/interrupt.h"
#include "harness/files/whole_file.h"
#include "harness/gate/canaries.h"
#include "harness/gate/commands.h"
#include "harness/gate/comparison.h"
#include "harness/gate/sample_file.h"
#include "harness/reports/gate/canary_page.h"
#include "harness/reports/gate/gate_views.h"
#include "harness/reports/progress.h"

namespace harness::entries {
namespace {

using gate::Comparison;
using gate::Outcome;

/// Returns the looks of the rule, up to so many rounds; further ones each twice the one before.
std::vector<std::size_t> looks_up_to(std::size_t rounds) {
  std::vector<std::size_t> looks;
  for (std::size_t look = gate::Rule().looks.front(); look < rounds; look *= 2)
    looks.push_back(look);
  looks.push_back(rounds);
  return looks;
}

gate::Plan plan_of(const GateOptions& options) {
  gate::Plan plan{options.base, options.head, {}};
  plan.rule.looks = looks_up_to(options.rounds);
  plan.rule.seed = options.seed;
  return plan;
}

/// Says on stderr how far a source has got.
class Watched : public gate::Source {
 public:
  explicit Watched(gate::Source& source) : source_(source) {}

  std::optional<gate::Round> measure(const gate::Request& request) override {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (progress_.due(seconds))
      progress_.show(seconds, fmt::format("{}round {}, {} benchmark{} to decide, {:.0f} s",
                                          request.confirmation > 0 ? "confirming: " : "",
                                          request.round + 1, request.wanted.size(),
                                          request.wanted.size() == 1 ? "" : "s", seconds));
    return source_.measure(request);
  }
  gate::End why_ended() const override { return source_.why_ended(); }

 private:
  gate::Source& source_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  reports::Progress progress_{2, reports::Terminal::of(2)};
};

/// Judges what the source measures. A failure to measure is part of what it returns.
Comparison compared(gate::Source& source, const gate::Plan& plan) {
  Comparison comparison{plan, {}, {}};
  Watched watched(source);
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
  gate::Commands source(plan.base, plan.head, {options.seconds, options.timeout_seconds},
                        plan.rule.seed, take_interrupts(), [&](const gate::Sample& sample) {
                          if (samples) samples->add(sample);
                        });
  Comparison comparison = compared(source, plan);
  if (samples && comparison.failure.empty()) samples->end(comparison.result.end);
  return comparison;
}

Comparison recomputed(const std::string& file) {
  gate::Recorded source(file);
  return compared(source, source.plan());
}

void require_sense(const GateOptions& options) {
  const bool has_commands = !options.base.empty() || !options.head.empty();
  if (!options.recompute.empty() && has_commands)
    throw UsageError("--recompute reads samples, and so takes no commands");
  if (!options.canaries.empty() && (has_commands || !options.recompute.empty()))
    throw UsageError("--canaries reads a record, and so takes neither commands nor --recompute");
  if (options.html.empty() && !(options.rates + options.searches).empty())
    throw UsageError("--rates and --searches are for the page: name it with --html");
  if (!options.recompute.empty() || !options.canaries.empty()) return;
  if (options.base.empty() || options.head.empty())
    throw UsageError(
        "two commands are wanted: afterlife gate [OPTION...] -- BASE... -- HEAD...; see `afterlife "
        "gate --help`");
  require_command(options.base, "afterlife gate --");
  require_command(options.head, "afterlife gate -- BASE... --");
}

/// Looks before the measuring whether its files can be written after it.
void require_files(const GateOptions& options) {
  for (const std::string* file : {&options.junit, &options.markdown, &options.html})
    if (!file->empty()) require_replaceable(*file);
}

/// Reads how often the gate is wrong, from one record or both.
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

void write_page(const GateOptions& options, const Comparison& comparison) {
  if (options.rates.empty() && options.searches.empty())
    return write_whole_file(options.html, reports::gate_page(comparison));
  const reports::CanaryReport rates = rates_of(options.rates, options.searches);
  write_whole_file(options.html, reports::gate_page(comparison, &rates));
}

void write_files(const GateOptions& options, const Comparison& comparison) {
  if (!options.junit.empty()) write_whole_file(options.junit, reports::gate_junit(comparison));
  if (!options.markdown.empty())
    write_whole_file(options.markdown, reports::gate_markdown(comparison));
  if (!options.html.empty()) write_page(options, comparison);
}

/// Says how often the gate was wrong in a record of which the answers are known.
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
  if (!options.canaries.empty()) return judge_itself(options);
  require_files(options);
  const Comparison comparison =
      options.recompute.empty() ? measured(options) : recomputed(options.recompute);
  write_files(options, comparison);
  if (options.json)
    fmt::print("{}\n", reports::gate_json(comparison));
  else if (!comparison.result.rows.empty() || comparison.failure.empty())
    fmt::print("{}", reports::gate_table(comparison, reports::Terminal::of(1)));
  if (!comparison.failure.empty()) throw std::runtime_error(comparison.failure);
  return code_of(comparison.outcome());
}

}  // namespace harness::entries
