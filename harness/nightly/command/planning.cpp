// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/planning.h"

#include <fmt/format.h>

#include "harness/base/printable.h"
#include "harness/command/lookup.h"
#include "harness/nightly/command/programs/program_list.h"
#include "harness/nightly/command/resources.h"

namespace harness::entries {
namespace {

using nightly::History;
using nightly::Plan;

constexpr double kDefaultMinutes = 10;

bool has_length(const NightLength& length) {
  return length.runs > 0 || length.minutes > 0 || length.hours > 0;
}

nightly::Budget budget_of(const NightLength& length) {
  if (length.runs > 0) return {length.runs, 0};
  const double minutes = has_length(length) ? length.minutes + 60 * length.hours : kDefaultMinutes;
  return {0, 60 * minutes};
}

/// Returns the target of a night of programs: all of them, or the one in --only.
std::string program_target(const NightlyOptions& options) {
  const std::string all = nightly::kPrograms;
  return options.target.empty() ? all : all + "/" + options.target;
}

std::vector<nightly::ProgramShare> shares_of(const NightlyOptions& options) {
  std::vector<nightly::ProgramShare> shares;
  const std::vector<NightProgram> programs = read_programs(options.programs);
  if (!options.target.empty()) program_named(programs, options.target);
  for (const NightProgram& one : programs)
    if (options.target.empty() || options.target == one.name)
      shares.push_back({one.name, {one.runs, one.seconds}});
  return shares;
}

/// Returns the length of a night from its options, or else the sum of its programs' lengths.
nightly::Budget length_of(const NightlyOptions& options) {
  if (options.programs.empty() || has_length(options.length)) return budget_of(options.length);
  nightly::Budget budget;
  for (const nightly::ProgramShare& one : shares_of(options)) {
    budget.runs += one.budget.runs;
    budget.seconds += one.budget.seconds;
  }
  return budget;
}

Plan planned(const NightlyOptions& options, const nightly::Budget& budget, std::size_t shards,
             History& history) {
  nightly::revision_name(options.revision);
  const std::uint64_t number = history.next_number();
  if (!options.programs.empty())
    return nightly::make_program_plan({number, options.seed.value_or(number), budget, shards,
                                       program_target(options), options.revision},
                                      shares_of(options));
  find_targets(options.target);  // Throws with a suggestion if there is none.
  return nightly::make_plan(
      {number, options.seed.value_or(number), budget, shards, options.target, options.revision},
      tables::scenarios(), history.known_repairs(), history.tapes(), history.inputs());
}

/// Returns the number of shards of a local night. A night of a given number of runs has one, so
/// that its result is the same on all machines.
std::size_t shards_of(const NightlyOptions& options) {
  if (options.jobs > 0) return options.jobs;
  if (!options.programs.empty()) return 1;  // Programs may interfere with each other.
  return options.length.runs > 0 ? 1 : core_count();
}

/// Returns the total budget of `shards` concurrent shards, each with this one.
nightly::Budget at_once(nightly::Budget budget, std::size_t shards) {
  budget.seconds *= static_cast<double>(shards);
  return budget;
}

/// Returns the terms of a night as options.
std::string as_options(const nightly::Terms& terms) {
  const auto shards = static_cast<double>(terms.shards);
  std::string length = terms.budget.runs > 0
                           ? fmt::format("--runs {}", terms.budget.runs)
                           : fmt::format("--minutes {:g}", terms.budget.seconds / 60 / shards);
  if (terms.shards > 1) length += fmt::format(" for its {} shards", terms.shards);
  std::string only = terms.target;
  for (const std::string& all :
       {std::string(nightly::kPrograms) + "/", std::string(nightly::kPrograms)})
    if (only.starts_with(all)) only.erase(0, all.size());
  return fmt::format("{} and --seed {}{}", length, terms.seed,
                     only.empty() ? "" : " and --only " + only);
}

/// Refuses options that differ from the plan of the night to continue.
void require_same_terms(const Plan& plan, const NightlyOptions& options,
                        const NightFolder& folder) {
  const bool same_length =
      !has_length(options.length) || budget_of(options.length) == plan.terms.budget ||
      at_once(budget_of(options.length), plan.terms.shards) == plan.terms.budget;
  const bool same_seed = !options.seed || *options.seed == plan.terms.seed;
  const std::string target = options.programs.empty() ? options.target : program_target(options);
  const bool same_target = options.target.empty() || target == plan.terms.target;
  if (same_length && same_seed && same_target) return;
  throw UsageError(fmt::format("the night to resume has {}; leave them out, or remove {}",
                               as_options(plan.terms), printable(folder.name())));
}

}  // namespace

Plan plan_here(const NightlyOptions& options, const NightFolder& folder, History& history) {
  if (folder.is_under_way(history)) {
    if (!options.resume)
      throw UsageError(fmt::format("a night is unfinished in {}: --resume continues it",
                                   printable(folder.name())));
    Plan plan = folder.plan();
    require_same_terms(plan, options, folder);
    return plan;
  }
  const std::size_t shards = shards_of(options);
  Plan plan = planned(options, at_once(length_of(options), shards), shards, history);
  folder.write(plan);
  return plan;
}

Plan plan_elsewhere(const NightlyOptions& options, History& history) {
  return planned(options, length_of(options), options.shards, history);
}

}  // namespace harness::entries
