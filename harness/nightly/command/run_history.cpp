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

/// Returns a summary line, and a line for each finding whose state changed. `history`: its folder.
std::string text_of(const nightly::Night& night, const std::string& history) {
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

nlohmann::ordered_json json_of(const nightly::Night& night, const std::string& history) {
  nlohmann::ordered_json json = {{"folder", history},
                                 {"number", night.terms.number},
                                 {"findings", nlohmann::ordered_json::array()},
                                 {"gone", nlohmann::ordered_json::array()}};
  for (const NightFinding& finding : night.findings)
    json["findings"].push_back({{"cause", finding.cause},
                                {"state", std::string(to_text(finding.state))},
                                {"signature", finding.signature},
                                {"first_number", finding.first_number}});
  for (const NightFinding* finding : gone_in(night))
    json["gone"].push_back({{"cause", finding->cause}, {"signature", finding->signature}});
  return json;
}

class RunHistory final : public EarlierSearches {
 public:
  explicit RunHistory(const RunOptions& options)
      : program_(program_of(options)),
        folder_(options.history),
        history_(folder_),
        held_(folder_) {}

  SinceLastTime add(const client::SearchResult& result, const std::atomic<bool>& stop) override {
    const nightly::Plan plan = plan_of(result);
    const std::string id = nightly::id_of(plan);
    merge(plan, id, result);
    replay_absent(history_, history_.outline(id), {&program_, 1}, {}, stop);
    const nightly::Night night = history_.night(id);
    return {std::ranges::any_of(night.findings, &NightFinding::is_news), text_of(night, folder_),
            json_of(night, folder_)};
  }

 private:
  nightly::Plan plan_of(const client::SearchResult& result) {
    const bool is_in_runs = result.options.runs > 0;
    const nightly::Budget budget{result.options.runs, is_in_runs ? 0 : result.options.seconds};
    const nightly::ProgramShare share{program_.name, budget};
    return nightly::make_program_plan({history_.next_number(), result.options.seed, budget, 1,
                                       fmt::format("{}/{}", nightly::kPrograms, program_.name), ""},
                                      {&share, 1});
  }

  /// Adds the search as a night of one shard.
  void merge(const nightly::Plan& plan, const std::string& id, const client::SearchResult& result) {
    const ScratchFolder scratch("afterlife-run");
    nightly::ShardFolder folder(plan, 1, scratch.name());
    folder.open();
    const nightly::Cell cell = nightly::cells_of(plan, 1).at(0);
    const std::string findings = folder.begin(0, cell);
    nightly::ShardRecord shard{id, plan.terms, 1, {}};
    shard.cells = {record_of(cell, program_, result, watch_.seconds(), findings)};
    shard.ended_at = now();
    folder.place(shard);
    const nightly::Merged merged =
        history_.merge({(fs::path(scratch.name()) / nightly::shard_name(1, 1)).string()});
    if (!merged.errors.empty()) throw std::runtime_error(merged.errors.front());
  }

  NightProgram program_;
  std::string folder_;
  nightly::History history_;
  HeldFolder held_;
  nightly::Stopwatch watch_;
};

}  // namespace

std::unique_ptr<EarlierSearches> open_run_history(const RunOptions& options) {
  return std::make_unique<RunHistory>(options);
}

}  // namespace harness::entries
