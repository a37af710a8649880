// SPDX-License-Identifier: Apache-2.0
// price: the cost of each variant of a path, on three classes of programs without faults in the
// compared variants: the ordinary use, the committed programs, and random programs.
#include "harness/cli/price/price.h"

#include <fmt/format.h>

#include "harness/cli/programs.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/command/lookup.h"
#include "harness/report/price_views.h"
#include "harness/search/price/price.h"

namespace harness::entries {
namespace {

using reports::PricedClass;
using reports::PricedPath;

/// Number of timed rounds, of which the shortest counts.
constexpr std::size_t kTimedRounds = 5;
/// Limit of draws for each requested program: some are vacuous or fail.
constexpr std::size_t kDrawsOfProgram = 10;

std::vector<Case> ordinary_use(const std::string& corpus, const Scenario& scenario) {
  std::vector<Case> programs;
  Case plain = read_plain(corpus, scenario);
  for (std::size_t i = 0; i < config_count(scenario); ++i) {
    plain.config = config_at(scenario, i);
    programs.push_back(plain);
  }
  return programs;
}

std::vector<Case> committed(const std::string& corpus, const Scenario& scenario) {
  std::vector<Case> programs;
  for (Program& program : read_programs(corpus, scenario))
    programs.push_back(std::move(program.reproducer.the_case));
  return programs;
}

/// Returns the variant of the random runs: the first that is claimed to be sound.
std::size_t drawn_variant(const Scenario& scenario) {
  for (std::size_t i = 0; i < scenario.variants.size(); ++i)
    if (scenario.variants[i].claim.kind == ClaimKind::sound) return i;
  return 0;
}

std::vector<Case> drawn(Runner& runner, const Scenario& scenario, const PriceOptions& options) {
  const std::size_t variant = drawn_variant(scenario);
  const DeviceInfo& device = find_device("sim");
  const auto strategy = find_strategy("random_walk").make(options.seed);
  std::vector<Case> programs;
  for (std::uint64_t i = 0; i < kDrawsOfProgram * options.drawn; ++i) {
    if (programs.size() == options.drawn) break;
    const Config config = config_at(scenario, i % config_count(scenario));
    const Outcome& outcome = runner.run(scenario, variant, config, device, *strategy);
    if (outcome.failed() || outcome.vacuous || outcome.ending != Ending::finished) continue;
    programs.push_back({&scenario, variant, config, &device, outcome.tape});
  }
  return programs;
}

PricedClass priced(Runner& runner, const PriceOptions& options, const char* name, std::string words,
                   const std::vector<Case>& programs) {
  PricedClass result{name, std::move(words), price(runner, programs), {}};
  if (options.time) result.seconds = host_seconds(runner, programs, result.table, kTimedRounds);
  return result;
}

PricedPath priced_path(Runner& runner, const Scenario& scenario, const PriceOptions& options) {
  const std::vector<Case> ordinary = ordinary_use(options.corpus, scenario);
  const std::vector<Case> programs = committed(options.corpus, scenario);
  const std::vector<Case> draws = drawn(runner, scenario, options);
  const auto add = [&](const char* name, std::string words, const std::vector<Case>& cases) {
    return priced(runner, options, name, std::move(words), cases);
  };
  return {&scenario,
          {add("ordinary", fmt::format("ordinary use in {} configs", ordinary.size()), ordinary),
           add("committed", fmt::format("{} committed programs", programs.size()), programs),
           add("drawn", fmt::format("{} programs drawn from seed {}", draws.size(), options.seed),
               draws)}};
}

std::vector<const Scenario*> paths_of(const PriceOptions& options) {
  if (options.paths.empty()) return {tables::scenarios().begin(), tables::scenarios().end()};
  std::vector<const Scenario*> paths;
  paths.reserve(options.paths.size());
  for (const std::string& name : options.paths) paths.push_back(&find_path(name));
  return paths;
}

}  // namespace

int price(const PriceOptions& options) {
  end_on_interrupts();
  const std::vector<const Scenario*> wanted = paths_of(options);
  Runner runner;
  std::vector<PricedPath> paths;
  for (const Scenario* scenario : wanted) {
    paths.push_back(priced_path(runner, *scenario, options));
    if (!options.json && !options.brief)
      fmt::print("{}{}", paths.size() > 1 ? "\n" : "",
                 reports::price_tables(paths.back(), reports::Terminal::of(1)));
  }
  if (options.json)
    fmt::print("{}\n", reports::price_json(paths));
  else if (options.brief)
    fmt::print("{}", reports::price_summary(paths, reports::Terminal::of(1)));
  return kAsClaimed;
}

}  // namespace harness::entries
