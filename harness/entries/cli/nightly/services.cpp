#include "harness/entries/cli/nightly/services.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/entries/cli/lookup.h"
#include "harness/entries/cli/nightly/phase.h"
#include "harness/entries/cli/output_folder.h"
#include "harness/process/process.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using Differences = std::map<std::string, std::string>;

/// One replay may take so long: a run that never ends is ended after seconds.
constexpr double kReplaySeconds = 600;

std::string write(const std::string& folder, const Finding& finding) {
  OutputFolder out(folder);
  out.keep(finding);
  if (out.failure()) throw std::runtime_error(*out.failure());
  return fs::path(out.file_of(finding)).filename().string();
}

ProcessEnd replay(const std::string& file, double seconds, const std::atomic<bool>& stop) {
  return run_process({"/proc/self/exe", "replay", "--json", file}, {seconds, {}, kErrKept}, stop);
}

/// Returns what a process that replayed a folder said of each file; nothing where it said nothing.
Differences differences_in(const std::string& out) {
  Differences differences;
  const nlohmann::json said = nlohmann::json::parse(out, nullptr, false);
  if (!said.is_object() || !said.contains("replays")) return differences;
  for (const nlohmann::json& row : said["replays"]) {
    std::string& difference = differences[fs::path(row.at("file").get<std::string>()).filename()];
    for (const char* key : {"difference", "error"})
      if (row.at(key).is_string()) difference = row.at(key);
  }
  return differences;
}

/// Replays each file in a process of its own, as one of them ends the process.
Differences replay_one_by_one(const std::string& folder, const std::atomic<bool>& stop) {
  Differences differences;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (stop) break;
    const ProcessEnd ended = replay(entry.path().string(), kReplaySeconds, stop);
    differences[entry.path().filename()] =
        ended.code == 0 ? "" : "the replay " + ended.complaint(kReplaySeconds);
  }
  return differences;
}

Differences replay_all(const std::string& folder, const std::atomic<bool>& stop) {
  const auto count = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  const ProcessEnd ended = replay(folder, kReplaySeconds * static_cast<double>(count), stop);
  Differences differences = differences_in(ended.out);
  return differences.empty() ? replay_one_by_one(folder, stop) : differences;
}

}  // namespace

NightlyServices::NightlyServices(const std::atomic<bool>& stop, std::size_t index,
                                 std::size_t count)
    : shard_(count == 1 ? "" : fmt::format("shard {} of {}  ", index, count)) {
  services_.strategy = &find_strategy("random_walk");
  services_.device = &find_device("sim");
  services_.stop = &stop;
  services_.write = write;
  services_.clock = [] {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  services_.replay = [&stop](const std::string& folder) { return replay_all(folder, stop); };
  services_.phase = show_phase;
  services_.progress = [this](const nightly::Place& place, const nightly::Cell& cell,
                              const SearchResult& result) { show(place, cell, result); };
}

void NightlyServices::show(const nightly::Place& place, const nightly::Cell& cell,
                           const SearchResult& result) {
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (!progress_.due(now)) return;
  const std::string of =
      cell.budget.runs > 0 ? fmt::format(" of {}", reports::grouped(cell.budget.runs)) : "";
  progress_.show(
      now, fmt::format("{:>5.0f} s  {}[{}/{}] {:<28} {:>12}{} runs  {} signatures", now, shard_,
                       place.cell + 1, place.cells, cell.path + "/" + cell.variant,
                       reports::grouped(result.tally.runs), of, result.findings.size()));
}

}  // namespace harness::entries
