// SPDX-License-Identifier: Apache-2.0
#include "harness/search/price/price.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <ranges>

#include "harness/search/price/meter.h"
#include "harness/search/search.h"

namespace harness {
namespace {

using pricing::LaunchName;
using pricing::RunCost;

/// The compared variants must have at least one of this many programs in common.
constexpr std::size_t kLeastShare = 4;

/// The cost of each program in one variant; none if the variant did not survive it.
using Costs = std::vector<std::optional<RunCost>>;

/// Returns the reason why the run does not count; "" if it counts.
std::string why_not(const Scenario& scenario, const Outcome& outcome) {
  if (outcome.failed())
    return std::string(hazard_of(scenario, outcome.faults[0], outcome.windows[0]).view());
  if (outcome.ending != Ending::finished) return "caller error";
  return outcome.vacuous ? "vacuous" : "";
}

Costs costs_of(Runner& runner, std::span<const Case> programs, VariantPrice& row) {
  Costs costs;
  for (Case program : programs) {
    program.variant = row.variant;
    const std::string why = why_not(*program.scenario, runner.run(program));
    costs.emplace_back();
    if (why.empty())
      costs.back() = pricing::read_cost(runner.world());
    else
      ++row.failures[why];
    row.survived += why.empty();
  }
  return costs;
}

/// Returns the programs that all compared variants survive.
std::vector<std::size_t> in_common(const PriceTable& table, const std::vector<Costs>& costs) {
  std::vector<std::size_t> programs;
  for (std::size_t i = 0; i < table.program_count; ++i)
    if (std::ranges::all_of(table.variants, [&](const VariantPrice& row) {
          return !row.compared || costs[row.variant][i].has_value();
        }))
      programs.push_back(i);
  return programs;
}

/// Returns the compared variant that survives the fewest programs, or null if none is compared.
VariantPrice* poorest(std::vector<VariantPrice>& rows) {
  VariantPrice* least = nullptr;
  for (VariantPrice& row : rows)
    if (row.compared && (least == nullptr || row.survived <= least->survived)) least = &row;
  return least;
}

/// Decides which variants are compared, and on which programs.
void choose(PriceTable& table, const std::vector<Costs>& costs) {
  table.compared = in_common(table, costs);
  while (table.compared.size() * kLeastShare < table.program_count) {
    poorest(table.variants)->compared = false;
    table.compared = in_common(table, costs);
  }
  if (poorest(table.variants) == nullptr) table.compared.clear();
}

void add(Price& price, const RunCost& cost) {
  price.ops += cost.ops;
  price.calls += cost.calls;
  price.host_waits += cost.host_waits;
  price.allocations += cost.allocations;
  price.peak_bytes += cost.peak_bytes;
  price.byte_turns += cost.byte_turns;
}

/// How long a launch of one program waited, for each variant that made it.
using Waits = std::map<std::size_t, Tick>;

/// Adds the launches of one program to the prices of the compared variants.
void add_launches(PriceTable& table, const std::vector<Costs>& costs, std::size_t program) {
  std::map<LaunchName, Waits> launches;
  std::size_t variant_count = 0;
  for (const VariantPrice& row : table.variants) {
    if (!row.compared) continue;
    ++variant_count;
    for (const pricing::Launch& launch : costs[row.variant][program]->launches)
      launches[launch.name][row.variant] = launch.wait;
  }
  for (const auto& [name, waits] : launches) {
    if (waits.size() < variant_count) continue;
    const Tick least = std::ranges::min(waits | std::views::values);
    for (const auto& [variant, wait] : waits) {
      Price& price = table.variants[variant].price;
      ++price.launches;
      price.delayed += wait > least;
      price.delay_turns += wait - least;
    }
  }
}

}  // namespace

PriceTable price(Runner& runner, std::span<const Case> programs) {
  PriceTable table;
  table.program_count = programs.size();
  if (programs.empty()) return table;
  table.scenario = programs[0].scenario;
  std::vector<Costs> costs;
  for (std::size_t i = 0; i < table.scenario->variants.size(); ++i) {
    table.variants.push_back({.variant = i});
    costs.push_back(costs_of(runner, programs, table.variants.back()));
  }
  choose(table, costs);
  for (const std::size_t program : table.compared) {
    for (VariantPrice& row : table.variants)
      if (row.compared) add(row.price, *costs[row.variant][program]);
    add_launches(table, costs, program);
  }
  return table;
}

std::vector<double> host_seconds(Runner& runner, std::span<const Case> programs,
                                 const PriceTable& table, std::size_t rounds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> least(table.variants.size(), 0);
  for (std::size_t round = 0; round < rounds; ++round)
    for (const VariantPrice& row : table.variants) {
      if (!row.compared) continue;
      const Clock::time_point begin = Clock::now();
      for (const std::size_t index : table.compared) {
        Case program = programs[index];
        program.variant = row.variant;
        runner.run(program);
      }
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      least[row.variant] = round == 0 ? seconds : std::min(least[row.variant], seconds);
    }
  return least;
}

}  // namespace harness
