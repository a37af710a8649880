// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/replay_many.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/files/foreign_file.h"
#include "harness/base/printable.h"
#include "harness/client/command/replay_finding.h"
#include "harness/client/command/run_client.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/command/lookup.h"
#include "harness/report/terminal.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using reports::Colour;
using reports::Terminal;

struct Replayed {
  std::string file;
  std::string error;       ///< Why it could not be read; "" if it could.
  std::string difference;  ///< How it differs from the file; "" if it does not.
  std::string path, variant, trace;
  std::vector<std::string> faults;
  bool stopped = false;  ///< The user stopped it: nothing is known.

  bool as_recorded() const { return error.empty() && difference.empty(); }
};

bool is_folder(const fs::directory_entry& entry) {
  return entry.symlink_status().type() == fs::file_type::directory;
}

constexpr std::string_view kFindingEnding = ".run.json";

/// Returns all *.repro files and findings below the folder, ordered by name. Links and devices are
/// refused, because the folder may come from another owner.
std::vector<std::string> reproducers_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string file = entry.path().string();
    const bool is_case =
        file.ends_with(kFindingEnding) || entry.path().extension() == kReproducerEnding;
    if (!is_case || is_folder(entry)) continue;
    require_regular_file(file);
    files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

class ReplayingMany {
 public:
  explicit ReplayingMany(const ReplayOptions& options)
      : options_(options), stop_(take_interrupts()) {
    files_ = reproducer_files(options.files);
    if (options.trust && std::ranges::none_of(files_, is_finding_file))
      throw UsageError("--trust is for findings of `run`: a reproducer starts no command");
  }

  int run() {
    for (const std::string& file : files_) {
      if (stop_) break;
      Replayed replay = replay_one(file);
      if (replay.stopped) break;
      replays_.push_back(std::move(replay));
      if (!options_.json) print(replays_.back());
    }
    options_.json ? print_json() : print_summary();
    return code();
  }

 private:
  Replayed replay_one(const std::string& file) {
    Replayed result{.file = file};
    try {
      is_finding_file(file) ? replay_finding(result) : replay_case(result);
    } catch (const std::runtime_error& error) {
      result.error = error.what();
    }
    return result;
  }

  void replay_case(Replayed& result) {
    const Reproducer recorded = read_reproducer(result.file);
    const Outcome& outcome = runner_.run(recorded.the_case);
    const std::uint64_t trace = runner_.trace_hash();
    const Reproducer now = describe(runner_, outcome, recorded.the_case);
    result.difference = difference(recorded, now, trace);
    result.faults = now.faults;
    result.path = recorded.the_case.scenario->name.view();
    result.variant = recorded.the_case.scenario->variants[recorded.the_case.variant].name.view();
    result.trace = fmt::format("{:016x}", trace);
  }

  void replay_finding(Replayed& result) {
    const ReplayedFinding replayed = run_finding(result.file, options_.trust, stop_);
    result.stopped = replayed.run.ended.stopped;
    result.difference = replayed.differs;
    for (const client::Report& report : replayed.run.reports)
      for (const client::ToldFault& fault : report.faults) result.faults.push_back(fault.signature);
    for (const client::ToldFault& failure : replayed.run.failures)
      result.faults.push_back(failure.signature);
  }

  void print(const Replayed& replay) const {
    if (!replay.error.empty()) {
      fmt::print(stderr, "afterlife: {}\n", replay.error);
    } else if (replay.as_recorded()) {
      fmt::print("as recorded      {}\n", printable(replay.file));
    } else {
      fmt::print("{}  {}: {}\n", Terminal::of(1).paint(Colour::red, "not as recorded"),
                 printable(replay.file), replay.difference);
    }
  }

  std::size_t recorded() const {
    return static_cast<std::size_t>(
        std::count_if(replays_.begin(), replays_.end(),
                      [](const Replayed& replay) { return replay.as_recorded(); }));
  }
  std::size_t unreadable() const {
    return static_cast<std::size_t>(
        std::count_if(replays_.begin(), replays_.end(),
                      [](const Replayed& replay) { return !replay.error.empty(); }));
  }
  std::size_t different() const { return replays_.size() - recorded() - unreadable(); }
  bool stopped() const { return replays_.size() < files_.size(); }

  int code() const {
    if (different() > 0) return kNotAsClaimed;
    if (stopped()) return kStopped;
    return unreadable() > 0 ? kWorld : kAsClaimed;
  }

  void print_summary() const {
    std::string text = fmt::format("{} as recorded, {} not", recorded(), different());
    if (unreadable() > 0) text += fmt::format(", {} could not be replayed", unreadable());
    if (stopped()) text += fmt::format("; stopped after {} of {}", replays_.size(), files_.size());
    fmt::print("{}\n",
               Terminal::of(1).paint(code() == kAsClaimed ? Colour::green : Colour::red, text));
  }

  void print_json() const {
    const auto or_null = [](const std::string& text) {
      return text.empty() ? Json(nullptr) : Json(text);
    };
    Json rows = Json::array();
    for (const Replayed& replay : replays_)
      rows.push_back({{"file", replay.file},
                      {"as_recorded", replay.as_recorded()},
                      {"difference", or_null(replay.difference)},
                      {"error", or_null(replay.error)},
                      {"path", or_null(replay.path)},
                      {"variant", or_null(replay.variant)},
                      {"trace_hash", or_null(replay.trace)},
                      {"faults", replay.faults}});
    const Json all{{"schema", 1},
                   {"as_recorded", recorded()},
                   {"not_as_recorded", different()},
                   {"unreadable", unreadable()},
                   {"stopped", stopped()},
                   {"replays", rows}};
    // A file name may not be valid UTF-8.
    fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
  }

  const ReplayOptions& options_;
  const std::atomic<bool>& stop_;
  std::vector<std::string> files_;
  Runner runner_;
  std::vector<Replayed> replays_;
};

}  // namespace

std::vector<std::string> reproducer_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    const std::vector<std::string> below =
        fs::is_directory(name) ? reproducers_below(name) : std::vector<std::string>{name};
    if (below.empty())
      throw std::runtime_error(fmt::format("no reproducer (*.repro) in the folder '{}'", name));
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

bool is_many(const std::vector<std::string>& files) {
  std::error_code unreadable;
  return files.size() > 1 || fs::is_directory(files.front(), unreadable);
}

int replay_many(const ReplayOptions& options) { return ReplayingMany(options).run(); }

}  // namespace harness::entries
