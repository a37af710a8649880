// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/base/files/held_folder.h"
#include "harness/base/files/plain_name.h"
#include "harness/base/files/scratch_folder.h"
#include "harness/base/printable.h"
#include "harness/client/outside/finding_file.h"
#include "harness/nightly/command/absent.h"
#include "harness/nightly/command/programs/program_search.h"
#include "harness/nightly/history.h"
#include "harness/nightly/shard/shard.h"
#include "harness/nightly/shard/shard_folder.h"
#include "harness/nightly/shard/stopwatch.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/terminal.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using nightly::Absence;
using nightly::NightFinding;
using nightly::State;

NightProgram program_of(const RunOptions& options) {
  NightProgram program;
  program.name = options.name.empty() ? client::program_of(options.command) : options.name;
  if (!is_plain_name(program.name)) program.name = "program";
  program.command = options.command;
  program.folder = fs::current_path().string();
  program.timeout_seconds = options.timeout_seconds;
  return program;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Returns the findings that neither the search nor their replay showed.
std::vector<const NightFinding*> gone_in(const nightly::Night& night) {
  std::vector<const NightFinding*> gone;
  for (const NightFinding& finding : night.absent)
    if (finding.absent && finding.absent->absence == Absence::gone) gone.push_back(&finding);
  return gone;
}

std::string line_of(const NightFinding& finding, std::string_view word) {
  return fmt::format("  {:<10}{}  {}\n", word, finding.cause, printable(finding.signature));
}

}  // namespace

struct RunHistory::State {
  explicit State(const RunOptions& options)
      : program(program_of(options)), folder(options.history), history(folder), held(folder) {}

  NightProgram program;
  std::string folder;
  nightly::History history;
  HeldFolder held;
  nightly::Stopwatch watch;
};

RunHistory::RunHistory(const RunOptions& options) : state_(std::make_unique<State>(options)) {}

RunHistory::~RunHistory() = default;

SinceLastTime RunHistory::add(const client::SearchResult& result, const std::atomic<bool>& stop) {
  nightly::History& history = state_->history;
  const bool is_in_runs = result.options.runs > 0;
  const nightly::Budget budget{result.options.runs, is_in_runs ? 0 : result.options.seconds};
  const nightly::ProgramShare share{state_->program.name, budget};
  const nightly::Plan plan = nightly::make_program_plan(
      {history.next_number(), result.options.seed, budget, 1,
       fmt::format("{}/{}", nightly::kPrograms, state_->program.name), ""},
      {&share, 1});
  const std::string id = nightly::id_of(plan);
  const ScratchFolder scratch("afterlife-run");
  nightly::ShardFolder folder(plan, 1, scratch.name());
  folder.open();
  const nightly::Cell cell = nightly::cells_of(plan, 1).at(0);
  const std::string findings = folder.begin(0, cell);
  nightly::ShardRecord shard{id, plan.terms, 1, {}};
  shard.cells = {record_of(cell, state_->program, result, state_->watch.seconds(), findings)};
  shard.ended_at = now();
  folder.place(shard);
  const nightly::Merged merged =
      history.merge({(fs::path(scratch.name()) / nightly::shard_name(1, 1)).string()});
  if (!merged.errors.empty()) throw std::runtime_error(merged.errors.front());
  replay_absent(history, history.outline(id), {&state_->program, 1}, {}, stop);
  return {history.night(id), state_->folder};
}

bool SinceLastTime::has_news() const {
  return std::ranges::any_of(night.findings, &NightFinding::is_news);
}

std::string SinceLastTime::text() const {
  const std::vector<const NightFinding*> gone = gone_in(night);
  std::string text =
      fmt::format("since the last time: {} new, {} known, {} gone; search {} of {}\n",
                  night.count(State::fresh) + night.count(State::regressed),
                  night.count(State::known), gone.size(), night.terms.number, printable(history));
  for (const NightFinding& finding : night.findings)
    if (finding.state != State::known) text += line_of(finding, to_text(finding.state));
  for (const NightFinding* finding : gone) text += line_of(*finding, "gone");
  return text;
}

std::string with_history(const std::string& json, const std::optional<SinceLastTime>& since) {
  if (!since) return json;
  auto object = nlohmann::ordered_json::parse(json);
  auto& told = object["history"] = {{"folder", since->history},
                                    {"number", since->night.terms.number},
                                    {"findings", nlohmann::ordered_json::array()},
                                    {"gone", nlohmann::ordered_json::array()}};
  for (const NightFinding& finding : since->night.findings)
    told["findings"].push_back({{"cause", finding.cause},
                                {"state", std::string(to_text(finding.state))},
                                {"signature", finding.signature},
                                {"first_number", finding.first_number}});
  for (const NightFinding* finding : gone_in(since->night))
    told["gone"].push_back({{"cause", finding->cause}, {"signature", finding->signature}});
  return object.dump();
}

}  // namespace harness::entries
