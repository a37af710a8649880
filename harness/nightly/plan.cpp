// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "harness/base/files/plain_name.h"
#include "harness/base/printable.h"
#include "harness/nightly/sealed.h"
#include "harness/nightly/tapes/tapes_json.h"

namespace harness::nightly {
namespace {

using Json = nlohmann::json;
__extension__ using Wide = unsigned __int128;

constexpr const char* kKind = "plan";
/// All sound variants together get this many times the budget of all others.
constexpr std::uint64_t kSoundShare = 4;

/// Tapes get 1/kTapesPart of a variant's budget.
constexpr std::uint64_t kTapesPart = 8;

/// Other builds that search the sound variants.
constexpr std::array kSearchingBuilds{"asan", "fuzz", "tsan"};
/// Each gets 1/kBuildPart of a variant's budget, if that is enough for a process.
constexpr std::uint64_t kBuildPart = 40;
constexpr Budget kLeastInBuild{30, 1};

/// Returns the share of `whole` for the weights from `begin` to `end`. It is rounded so that
/// adjacent shares add up.
std::uint64_t share(std::uint64_t whole, std::uint64_t begin, std::uint64_t end,
                    std::uint64_t weights) {
  const auto up_to = [&](std::uint64_t weight) {
    return static_cast<std::uint64_t>(Wide{whole} * weight / weights);
  };
  return up_to(end) - up_to(begin);
}

std::vector<Cell> variants_of(std::span<const Scenario* const> scenarios, const Terms& terms) {
  std::vector<Cell> cells;
  for (const Scenario* scenario : scenarios)
    for (const VariantInfo& variant : scenario->variants) {
      const std::string path(scenario->name.view()), name(variant.name.view());
      const std::string full = path + "/" + name;
      if (!terms.target.empty() && terms.target != path && terms.target != full) continue;
      cells.push_back({path,
                       name,
                       std::string(to_label(variant.claim.kind).view()),
                       mix(terms.seed, hash_name(full)),
                       {},
                       {},
                       {}});
    }
  return cells;
}

Json budget_json(const Budget& budget) {
  return {{"runs", budget.runs}, {"seconds", budget.seconds}};
}

Budget budget_of(const Json& json) { return {json.at("runs"), json.at("seconds")}; }

std::vector<KnownRepair> known_of(const std::vector<Cell>& cells,
                                  const std::vector<KnownRepair>& known) {
  std::vector<KnownRepair> wanted;
  for (const KnownRepair& one : known)
    if (std::any_of(cells.begin(), cells.end(),
                    [&](const Cell& cell) { return cell.path == one.path; }))
      wanted.push_back(one);
  return wanted;
}

/// Returns the elements for the variants of these cells.
template <class OfVariant>
std::vector<OfVariant> those_of(const std::vector<Cell>& cells, const std::vector<OfVariant>& all) {
  std::vector<OfVariant> wanted;
  for (const OfVariant& one : all)
    if (std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
          return cell.path == one.path && cell.variant == one.variant;
        }))
      wanted.push_back(one);
  return wanted;
}

void take(Budget& from, const Budget& part) {
  from.runs -= part.runs;
  from.seconds -= part.seconds;
}

/// Moves a part of the variant's budget to its tapes. Tapes of a canary are only replayed, because
/// a canary tests whether a search without prior knowledge finds the fault.
void give_to_tapes(Cell& cell, std::size_t tapes) {
  if (tapes == 0) return;
  cell.tapes_budget = {cell.budget.runs / kTapesPart,
                       cell.budget.seconds / static_cast<double>(kTapesPart)};
  if (!is_sound(cell))
    cell.tapes_budget.runs = std::min<std::uint64_t>(cell.tapes_budget.runs, tapes);
  take(cell.budget, cell.tapes_budget);
}

/// Omits empty budgets, as older programs do, so that the id of such a plan stays the same.
Json cell_json(const Cell& cell) {
  Json json{{"path", cell.path},
            {"variant", cell.variant},
            {"claim", cell.claim},
            {"seed", cell.seed},
            {"budget", budget_json(cell.budget)}};
  if (cell.tapes_budget != Budget{}) json["tapes_budget"] = budget_json(cell.tapes_budget);
  if (!cell.build.empty()) json["build"] = cell.build;
  return json;
}

Cell cell_of(const Json& json) {
  Cell cell{plain_name(json.at("path"), "a path"), plain_name(json.at("variant"), "a variant"),
            json.at("claim"), json.at("seed"), budget_of(json.at("budget"))};
  if (json.contains("tapes_budget")) cell.tapes_budget = budget_of(json.at("tapes_budget"));
  if (json.contains("build")) cell.build = plain_name(json.at("build"), "a build");
  return cell;
}

/// Moves a part of each sound variant's budget to other builds, if the part is large enough. Then
/// each shard still has some of the rest.
void add_builds(std::vector<Cell>& cells, std::size_t shards) {
  const std::size_t count = cells.size();
  for (const char* build : kSearchingBuilds)
    for (std::size_t i = 0; i < count; ++i) {
      Cell cell = cells[i];
      if (!is_sound(cell)) continue;
      cell.build = build;
      cell.seed = mix(cell.seed, hash_name(build));
      cell.budget.runs /= kBuildPart;
      cell.budget.seconds /= static_cast<double>(kBuildPart);
      const bool is_worth_it =
          cell.budget.runs >= std::max<std::uint64_t>(kLeastInBuild.runs, shards) ||
          cell.budget.seconds >= kLeastInBuild.seconds;
      if (is_worth_it) cells.push_back(cell);
    }
  for (std::size_t i = count; i < cells.size(); ++i)
    for (std::size_t own = 0; own < count; ++own)
      if (cells[own].path == cells[i].path && cells[own].variant == cells[i].variant)
        take(cells[own].budget, cells[i].budget);
}

Json tapes_json(const std::vector<VariantTapes>& tapes) {
  Json all = Json::array();
  for (const VariantTapes& one : tapes)
    all.push_back({{"path", one.path}, {"variant", one.variant}, {"tapes", to_json(one.tapes)}});
  return all;
}

Json known_json(const std::vector<KnownRepair>& known) {
  Json all = Json::array();
  for (const KnownRepair& one : known)
    all.push_back({{"path", one.path}, {"words", one.words}, {"causes", one.causes}});
  return all;
}

}  // namespace

std::string target_name(std::string text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view all = text;
  const bool has_variant = slash < text.size();
  if (!text.empty() && !(is_plain_name(all.substr(0, slash)) &&
                         (!has_variant || is_plain_name(all.substr(slash + 1)))))
    throw NotAName(
        fmt::format("a target is '{}', which is neither a path nor a variant", shown(text)));
  return text;
}

std::string revision_name(std::string text) {
  if (text.starts_with('-'))
    throw NotAName(fmt::format("a revision is '{}', which is not a revision", shown(text)));
  return text;
}

bool is_sound(const Cell& cell) { return cell.claim == to_label(ClaimKind::sound).view(); }

std::span<const KeptTape> Plan::tapes_of(const Cell& cell) const {
  for (const VariantTapes& one : tapes)
    if (one.path == cell.path && one.variant == cell.variant) return one.tapes;
  return {};
}

std::span<const std::string> Plan::inputs_of(const Cell& cell) const {
  for (const VariantInputs& one : inputs)
    if (one.path == cell.path && one.variant == cell.variant) return one.inputs;
  return {};
}

Plan make_plan(const Terms& terms, std::span<const Scenario* const> scenarios,
               const std::vector<KnownRepair>& known, const std::vector<VariantTapes>& tapes,
               const std::vector<VariantInputs>& inputs) {
  Plan plan{terms, variants_of(scenarios, terms)};
  plan.known = known_of(plan.cells, known);
  plan.tapes = those_of(plan.cells, tapes);
  plan.inputs = those_of(plan.cells, inputs);
  const auto sound =
      static_cast<std::uint64_t>(std::count_if(plan.cells.begin(), plan.cells.end(), is_sound));
  const std::uint64_t others = plan.cells.size() - sound;
  // The weights are integers. All sound variants together weigh kSoundShare times as much as the
  // others.
  const std::uint64_t sound_weight = others == 0 ? 1 : kSoundShare * others;
  const std::uint64_t other_weight = std::max<std::uint64_t>(1, sound);
  const std::uint64_t weights =
      std::max<std::uint64_t>(1, sound * sound_weight + others * other_weight);
  std::uint64_t begin = 0;
  for (Cell& cell : plan.cells) {
    const std::uint64_t weight = is_sound(cell) ? sound_weight : other_weight;
    cell.budget.runs = share(terms.budget.runs, begin, begin + weight, weights);
    cell.budget.seconds =
        terms.budget.seconds * static_cast<double>(weight) / static_cast<double>(weights);
    begin += weight;
  }
  const std::size_t own = plan.cells.size();
  add_builds(plan.cells, terms.shards);
  for (std::size_t i = 0; i < own; ++i)
    give_to_tapes(plan.cells[i], plan.tapes_of(plan.cells[i]).size());
  return plan;
}

Plan make_program_plan(const Terms& terms, std::span<const ProgramShare> programs) {
  Plan plan{terms, {}};
  Budget all;
  for (const ProgramShare& one : programs) {
    all.runs += one.budget.runs;
    all.seconds += one.budget.seconds;
  }
  std::uint64_t runs = 0;
  double seconds = 0;
  for (const ProgramShare& one : programs) {
    Cell cell{kPrograms,
              one.name,
              std::string(to_label(ClaimKind::sound).view()),
              mix(terms.seed, hash_name(one.name)),
              {},
              {},
              {}};
    // Uses runs or seconds, whichever the programs have.
    if (all.runs > 0) {
      cell.budget.runs = share(terms.budget.runs, runs, runs + one.budget.runs, all.runs);
      cell.budget.seconds = terms.budget.seconds * static_cast<double>(one.budget.runs) /
                            static_cast<double>(all.runs);
    } else {
      constexpr double kParts = 1e6;
      const auto at = [&](double end) {
        return static_cast<std::uint64_t>(kParts * end / all.seconds);
      };
      cell.budget.runs = share(terms.budget.runs, at(seconds), at(seconds + one.budget.seconds),
                               static_cast<std::uint64_t>(kParts));
      cell.budget.seconds = terms.budget.seconds * one.budget.seconds / all.seconds;
    }
    runs += one.budget.runs;
    seconds += one.budget.seconds;
    plan.cells.push_back(cell);
  }
  return plan;
}

bool is_of_programs(const Plan& plan) {
  return !plan.cells.empty() && plan.cells.front().path == kPrograms;
}

namespace {

/// Returns the number of runs of a shard for a cell's tapes. If there is one run for each tape, the
/// shard that replays a tape has its run.
std::uint64_t tape_runs_of(const Plan& plan, std::size_t index, std::size_t slot,
                           const Cell& cell) {
  const std::uint64_t runs = cell.tapes_budget.runs;
  const std::size_t tapes = plan.tapes_of(cell).size();
  if (runs != tapes) return share(runs, slot, slot + 1, plan.terms.shards);
  std::uint64_t replayed = 0;
  for (std::size_t tape = 0; tape < tapes; ++tape) replayed += is_replayed_by(plan, index, tape);
  return replayed;
}

}  // namespace

std::vector<Cell> cells_of(const Plan& plan, std::size_t index) {
  std::vector<Cell> cells = plan.cells;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // Starts at a different slot for each variant, to distribute the remaining runs.
    const std::size_t slot = (index - 1 + i) % plan.terms.shards;
    Cell& cell = cells[i];
    if (!cell.build.empty()) {
      if (slot != 0) cell.budget = {};  // One shard runs the process.
      continue;
    }
    cell.budget.runs = share(cell.budget.runs, slot, slot + 1, plan.terms.shards);
    cell.budget.seconds /= static_cast<double>(plan.terms.shards);
    cell.tapes_budget.runs = tape_runs_of(plan, index, slot, cell);
    cell.tapes_budget.seconds /= static_cast<double>(plan.terms.shards);
    cells[i].seed = mix(cells[i].seed, index);
  }
  std::erase_if(cells,
                [](const Cell& cell) { return cell.budget.runs == 0 && cell.budget.seconds <= 0; });
  return cells;
}

double seconds_of_shard(const Plan& plan) {
  return plan.terms.budget.seconds / static_cast<double>(plan.terms.shards);
}

bool is_replayed_by(const Plan& plan, std::size_t index, std::size_t tape) {
  return tape % plan.terms.shards == index - 1;
}

std::string id_of(const Plan& plan) { return fmt::format("{:016x}", hash_name(to_text(plan))); }

std::string to_text(const Plan& plan) {
  Json cells = Json::array();
  for (const Cell& cell : plan.cells) cells.push_back(cell_json(cell));
  Json json{{"number", plan.terms.number},
            {"seed", plan.terms.seed},
            {"budget", budget_json(plan.terms.budget)},
            {"shards", plan.terms.shards},
            {"target", plan.terms.target},
            {"revision", plan.terms.revision},
            {"cells", cells},
            {"known", known_json(plan.known)}};
  if (!plan.tapes.empty()) json["tapes"] = tapes_json(plan.tapes);
  for (const VariantInputs& one : plan.inputs)
    json["inputs"].push_back(
        {{"path", one.path}, {"variant", one.variant}, {"inputs", one.inputs}});
  return sealed(kKind, json);
}

Plan parse_plan(const std::string& text, const std::string& file) {
  return parse_sealed(kKind, text, file, [](const Json& json) {
    Plan plan;
    plan.terms = {json.at("number"),
                  json.at("seed"),
                  budget_of(json.at("budget")),
                  json.at("shards"),
                  target_name(json.at("target")),
                  revision_name(json.at("revision"))};
    for (const Json& cell : json.at("cells")) plan.cells.push_back(cell_of(cell));
    for (const Json& one : json.at("known"))
      plan.known.push_back(
          {one.at("path"), one.at("words"), one.at("causes").get<std::vector<std::string>>()});
    for (const Json& one : json.value("tapes", Json::array()))
      plan.tapes.push_back({one.at("path"), one.at("variant"), tapes_in(one.at("tapes"))});
    for (const Json& one : json.value("inputs", Json::array()))
      plan.inputs.push_back(
          {one.at("path"), one.at("variant"), one.at("inputs").get<std::vector<std::string>>()});
    return plan;
  });
}

}  // namespace harness::nightly
