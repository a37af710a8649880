// SPDX-License-Identifier: Apache-2.0
// prove: runs every set of at most k further choices on each window's smallest program, for one
// variant or all of a path. Prints the number of runs and whether the claim holds.
#include "harness/cli/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/cli/footer.h"
#include "harness/cli/proving.h"
#include "harness/command/arguments.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/report/json_text.h"
#include "harness/report/progress.h"
#include "harness/report/table.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;
using reports::Align;
using reports::Colour;
using reports::counted;
using reports::Table;
using reports::Terminal;

// ---- output as text ----

std::string words(const ProgramProof& row, const Claim& claim) {
  const bool other = claim.kind == ClaimKind::unsound && !row.claimed;
  const std::string bound = fmt::format("k = {}, {}", row.decisions, counted(row.runs, "run"));
  switch (row.came) {
    case Came::holds:
      return fmt::format("holds: {}{}{}", bound, row.exhausted ? ", all there are" : "",
                         row.reached ? "" : "; its window was not reached");
    case Came::fails:
    case Came::elsewhere:
      return fmt::format("{}: {}{}", to_text(row.came), row.fault,
                         other ? fmt::format(" ({}, which is not claimed)", row.hazard) : "");
    case Came::vacuous:
      return fmt::format("vacuous: the path never ran: {}", bound);
    case Came::too_small:
      return fmt::format("too small to say: {} (k = {} takes {})", bound, row.decisions + 1,
                         reports::grouped(row.next_runs));
    case Came::stopped:
      return fmt::format("stopped at {}", bound);
  }
  return {};
}

Colour colour_of(Came came) {
  switch (came) {
    case Came::holds:
      return Colour::green;
    case Came::fails:
    case Came::elsewhere:
    case Came::too_small:
      return Colour::yellow;
    default:
      return Colour::red;
  }
}

Colour colour_of(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::as_claimed:
      return Colour::green;
    case Conclusion::undecided:
      return Colour::yellow;
    default:
      return Colour::red;
  }
}

/// Returns the numbers of results: "16 fails, 1 holds".
std::string counts(const VariantProof& proof) {
  std::string text;
  for (const Came came :
       {Came::fails, Came::elsewhere, Came::vacuous, Came::too_small, Came::stopped, Came::holds})
    if (const std::size_t count = proof.count(came))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_text(came));
  return text;
}

std::string verdict(const VariantProof& proof) {
  return fmt::format("enumerated {} of {}: {}: {} ({})", counted(proof.runs(), "schedule"),
                     counted(proof.programs.size(), "program"), counts(proof),
                     to_text(proof.conclusion()), to_label(proof.claim().kind).view());
}

/// Says what would decide the undecided programs; "" if all are decided.
std::string advice(const VariantProof& proof) {
  std::size_t too_small = 0;
  std::size_t vacuous = 0;
  std::uint64_t runs = 0;
  for (const ProgramProof& row : proof.programs) {
    if (!proof.is_undecided(row)) continue;
    too_small += row.came == Came::too_small;
    vacuous += row.came == Came::vacuous;
    if (row.came == Came::too_small) runs += row.next_runs;
  }
  std::string text;
  if (too_small > 0)
    text += fmt::format("; not decided by {}: `--k {}` runs them, too ({} for one choice more)",
                        counted(too_small, "program"), kLeastDecisions, counted(runs, "run"));
  if (vacuous > 0)
    text += fmt::format("; not decided by {} on which the path never runs",
                        counted(vacuous, "program"));
  if (proof.conclusion() == Conclusion::undecided)
    for (const Label hazard : proof.without_program())
      text += fmt::format("; add a program of {}: corpus/{}/programs/{}.repro", hazard.view(),
                          proof.target.scenario->name.view(), hazard.view());
  return text;
}

void print(const VariantProof& proof, const Terminal& terminal) {
  Table table({{"program"},
               {"k", Align::right},
               {"questions", Align::right},
               {"runs", Align::right},
               {"seconds", Align::right},
               {name_of(proof.target), Align::left, true}});
  for (const ProgramProof& row : proof.programs)
    table.add({{row.program->name},
               {fmt::format("{}", row.decisions)},
               {reports::grouped(row.questions)},
               {reports::grouped(row.runs)},
               {fmt::format("{:.2f}", row.seconds)},
               {words(row, proof.claim()), colour_of(row.came)}});
  fmt::print("{}{}\n\n", table.to_string(terminal),
             terminal.paint(colour_of(proof.conclusion()),
                            reports::wrapped(verdict(proof) + advice(proof), terminal.width, 2)));
}

// ---- output as JSON ----

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json to_json(const ProgramProof& row, const Scenario& scenario) {
  const Program& program = *row.program;
  Json window = nullptr;
  if (program.window >= 0)
    window = scenario.windows[static_cast<std::size_t>(program.window)].name.view();
  return {{"program", program.name},
          {"window", window},
          {"config", to_string(scenario, program.reproducer.the_case.config)},
          {"result", to_text(row.came)},
          {"k", row.decisions},
          {"runs", row.runs},
          {"vacuous_runs", row.vacuous_runs},
          {"exhausted", row.exhausted},
          {"reached", row.reached},
          {"signature", or_null(row.fault)},
          {"hazard", or_null(row.hazard)},
          {"claimed", row.fault.empty() ? Json(nullptr) : Json(row.claimed)}};
}

Json to_json(const VariantProof& proof) {
  const Scenario& scenario = *proof.target.scenario;
  Json programs = Json::array();
  for (const ProgramProof& row : proof.programs) programs.push_back(to_json(row, scenario));
  return {{"path", scenario.name.view()},
          {"variant", scenario.variants[proof.target.variant].name.view()},
          {"claim", to_label(proof.claim().kind).view()},
          {"as_claimed", proof.as_claimed()},
          {"conclusion", to_text(proof.conclusion())},
          {"runs", proof.runs()},
          {"programs", programs}};
}

// ---- the command ----

class Proving {
 public:
  explicit Proving(const ProveOptions& options)
      : options_(options), targets_(find_targets(options.target)), stop_(take_interrupts()) {
    if (options.target.empty()) throw UsageError("name a path to prove; see `afterlife list`");
    const Scenario& scenario = *targets_.front().scenario;
    const int window =
        options.window.empty() ? -1 : static_cast<int>(find_window(scenario, options.window));
    programs_ = read_programs(options.programs, scenario);
    if (window >= 0)
      std::erase_if(programs_, [&](const Program& program) { return program.window != window; });
    if (programs_.empty())
      throw std::runtime_error(
          fmt::format("no program in {}/{}/programs is named after a window to prove",
                      options.programs, scenario.name.view()));
  }

  int run() {
    const ProvingOptions proving{options_.decisions, &stop_,
                                 [this](const std::string& line) { tell(line); }};
    for (const Target& target : targets_) {
      if (stop_) break;
      proofs_.push_back(prove(runner_, target, programs_, proving));
      progress_.clear();
      if (!options_.json) print(proofs_.back(), Terminal::of(1));
    }
    options_.json ? print_json() : print_summary();
    return code();
  }

 private:
  void tell(const std::string& line) { progress_.show(0, line); }

  std::size_t count(Conclusion conclusion) const {
    return static_cast<std::size_t>(std::count_if(
        proofs_.begin(), proofs_.end(),
        [conclusion](const VariantProof& proof) { return proof.conclusion() == conclusion; }));
  }

  bool stopped() const {
    return proofs_.size() < targets_.size() ||
           std::any_of(
               proofs_.begin(), proofs_.end(),
               [](const auto& proof) { return proof.count(Came::stopped) > 0; });
  }

  /// A claim that was refuted before the stop stays refuted.
  int code() const {
    if (count(Conclusion::contradicted) > 0) return kNotAsClaimed;
    if (stopped()) return kStopped;
    return count(Conclusion::as_claimed) > 0 ? kAsClaimed : kUndecided;
  }

  void print_json() const {
    Json results = Json::array();
    for (const VariantProof& proof : proofs_) results.push_back(to_json(proof));
    fmt::print("{}\n",
               reports::to_text({{"schema", 1}, {"stopped", stopped()}, {"results", results}}));
  }

  void print_summary() const {
    std::string others;
    for (const VariantProof& proof : proofs_)
      if (!proof.as_claimed())
        others +=
            "\n" + reports::wrapped(fmt::format("  {} claims {}: {}: {}", name_of(proof.target),
                                                to_label(proof.claim().kind).view(),
                                                to_text(proof.conclusion()), counts(proof)),
                                    Terminal::of(1).width, 4);
    const bool is_green = count(Conclusion::contradicted) == 0;
    const std::string text = fmt::format("{} of {} claims hold{}", count(Conclusion::as_claimed),
                                         proofs_.size(), others);
    fmt::print("{}\n", Terminal::of(1).paint(is_green ? Colour::green : Colour::red, text));
    if (stopped())
      fmt::print("stopped; {} of {} variants were started\n", proofs_.size(), targets_.size());
  }

  const ProveOptions& options_;
  std::vector<Target> targets_;
  const std::atomic<bool>& stop_;
  std::vector<Program> programs_;
  Runner runner_;
  std::vector<VariantProof> proofs_;
  reports::Progress progress_{2, Terminal::of(2)};
};

}  // namespace

CLI::App* add_prove(CLI::App& app, ProveOptions& options) {
  CLI::App* command = app.add_subcommand(
      "prove",
      "Run the smallest program of each window with every set of at most k further choices");
  command->add_option("target", options.target, "Variant, or path with all of its variants")
      ->required()
      ->type_name("PATH[/VARIANT]");
  command
      ->add_option("--k", options.decisions,
                   "Maximum number of choices (up to 3, if at most 200 000 runs per window "
                   "suffice; below 2 nothing holds)")
      ->check(whole_number(0, 6))
      ->type_name("N");
  command->add_option("--window", options.window, "Only this window")->type_name("WINDOW");
  command
      ->add_option("--programs", options.programs,
                   "Folder of the corpus with PATH/programs (corpus)")
      ->type_name("DIR");
  command->add_flag("--json", options.json, "One JSON object on stdout (results/schema.json)");
  command->footer(claim_footer(
      "  afterlife prove argpack/own\n  afterlife prove argpack --window nested_replaced --json"));
  return command;
}

int prove(const ProveOptions& options) { return Proving(options).run(); }

}  // namespace harness::entries
