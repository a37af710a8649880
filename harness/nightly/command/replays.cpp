// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/replays.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/process/process.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Replays = std::map<std::string, ReplayedFile>;

/// Time limit of one replay. A run without an end is stopped after a few seconds.
constexpr double kReplaySeconds = 600;
/// Fraction of the time for one process that replays all files of a folder.
constexpr double kPartAtOnce = 0.6;

ProcessEnd replay(const std::string& program, const std::string& place, double seconds,
                  const std::atomic<bool>& stop) {
  return run_process({program, "replay", "--json", place}, {seconds, {}, kErrKept}, stop);
}

/// Parses the results of a folder's replay by file; empty if there are none.
Replays replays_in(const std::string& out) {
  Replays replays;
  const Json said = Json::parse(out, nullptr, false);
  if (!said.is_object() || !said.contains("replays")) return replays;
  for (const Json& row : said["replays"]) {
    ReplayedFile& file = replays[fs::path(row.at("file").get<std::string>()).filename()];
    file.is_replayed = row.at("error").is_null();
    file.faults = row.at("faults").get<std::vector<std::string>>();
    for (const char* key : {"difference", "error"})
      if (row.at(key).is_string()) file.difference = row.at(key);
  }
  return replays;
}

/// Returns the signatures that the replay of one file printed.
std::vector<std::string> faults_in(const std::string& out) {
  std::vector<std::string> faults;
  const Json said = Json::parse(out, nullptr, false);
  if (said.is_object() && said.contains("faults"))
    for (const Json& fault : said["faults"]) faults.push_back(fault.at("signature"));
  return faults;
}

ReplayedFile replay_one(const std::string& program, const std::string& file,
                        const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  const double seconds = std::min(kReplaySeconds, deadline.seconds_left());
  const ReplayedFile late{nightly::kOutOfTime, false, {}};
  if (seconds <= 0) return late;
  const ProcessEnd ended = replay(program, file, seconds, stop);
  if (ended.timed_out && seconds < kReplaySeconds) return late;
  return {ended.code == 0 ? "" : "the replay " + ended.complaint(seconds),
          ended.code == 0 || ended.code == 1, faults_in(ended.out)};
}

/// Replays each file in a separate process: used if the common process crashed, or exceeded its
/// time limit.
Replays replay_one_by_one(const std::string& program, const std::string& folder,
                          const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  Replays replays;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (stop) break;
    if (entry.path().extension() != kReproducerEnding) continue;
    replays[entry.path().filename()] = replay_one(program, entry.path().string(), deadline, stop);
  }
  return replays;
}

/// Removes the folder from differences, so that they do not depend on the place of the replay.
Replays without_place(Replays replays, const std::string& folder) {
  const std::string place = folder + "/";
  for (auto& [name, file] : replays)
    for (std::size_t at = 0; (at = file.difference.find(place, at)) != std::string::npos;)
      file.difference.erase(at, place.size());
  return replays;
}

}  // namespace

Replays replay_folder(const std::string& folder, const nightly::Deadline& deadline,
                      const std::atomic<bool>& stop, const std::string& program) {
  const auto count = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  // The rest of the time is for separate replays: a process that is killed prints no results.
  const double seconds =
      std::min(kReplaySeconds * static_cast<double>(count), kPartAtOnce * deadline.seconds_left());
  Replays replays;
  if (seconds > 0) replays = replays_in(replay(program, folder, seconds, stop).out);
  if (replays.empty()) replays = replay_one_by_one(program, folder, deadline, stop);
  return without_place(std::move(replays), folder);
}

}  // namespace harness::entries
