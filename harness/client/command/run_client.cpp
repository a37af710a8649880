// SPDX-License-Identifier: Apache-2.0
// run: runs a user's program many times on the simulated driver, and reports uses of objects after
// their end, with lines of that program.
#include "harness/client/command/run_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/base/files/foreign_file.h"
#include "harness/base/files/make_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/client/command/earlier_searches.h"
#include "harness/client/command/run_reports.h"
#include "harness/client/command/trust.h"
#include "harness/client/command/unjudged.h"
#include "harness/client/outside/finding_file.h"
#include "harness/client/outside/search/answers.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/outside/search/search.h"
#include "harness/client/views/client_views.h"
#include "harness/command/command_words.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/command/lookup.h"
#include "harness/command/output_folder.h"
#include "harness/core/fault/kinds.h"
#include "harness/report/progress.h"

namespace harness::entries {
namespace {

constexpr double kSecondsByDefault = 60;

/// Prints the program's output of its default run, and prints and writes findings when they are
/// complete.
class Watcher final : public client::SearchWatcher {
 public:
  explicit Watcher(const RunOptions& options) : options_(options) {}

  void plain(const client::ClientRun& run) override {
    progress_.clear();
    if (!options_.json) fmt::print("{}", run.ended.out);
    std::fflush(stdout);
    fmt::print(stderr, "{}", run.ended.err);
  }

  void progress(const client::SearchResult& result, const char* doing, double seconds) override {
    if (!progress_.due(seconds)) return;
    const std::uint64_t number = result.run_count + result.further_runs + 1;
    progress_.show(seconds,
                   fmt::format("{} {}, {}, {:.0f} s", doing, number,
                               reports::counted(result.findings.size(), "finding"), seconds));
  }

  void found(const client::Finding& finding) override {
    progress_.clear();
    const std::string& name = options_.name;
    const std::string file =
        (std::filesystem::path(options_.out) /
         client::finding_name(finding, name.empty() ? client::program_of(options_.command) : name))
            .string();
    const bool replaces = replace(finding, file);
    const bool is_new = told_.insert({name_of(finding.fault), files_.size()}).second;
    if (is_new) files_.push_back(file);
    const bool is_kept = keep(finding, file);
    if (options_.json) return;
    if (replaces)
      fmt::print("reported without the line of the host, which is:\n");
    else if (!is_new)
      fmt::print("reported as forced, but possible without it:\n");
    fmt::print("{}\n",
               reports::finding_text(finding, is_kept ? file : "", reports::Terminal::of(1)));
    std::fflush(stdout);
  }

  const std::vector<std::string>& files() const { return files_; }
  /// Errors: std::runtime_error if a finding could not be written.
  void require_kept() const {
    if (!failure_.empty()) throw std::runtime_error(failure_);
  }

 private:
  static std::string name_of(const client::ToldFault& fault) { return fault.signature + fault.at; }

  /// Lets the file of a finding take the place of its face that was reported before. Returns false
  /// if there is none.
  bool replace(const client::Finding& finding, const std::string& file) {
    if (told_.contains(name_of(finding.fault))) return false;
    for (const client::ToldFault& face : finding.faces)
      if (const auto before = told_.find(name_of(face)); before != told_.end()) {
        const std::size_t index = before->second;
        std::error_code none;
        std::filesystem::remove(std::exchange(files_[index], file), none);
        told_.insert({name_of(finding.fault), index});
        return true;
      }
    return false;
  }

  /// Writes the finding. Returns whether it could be written; it is printed in either case.
  bool keep(const client::Finding& finding, const std::string& file) {
    try {
      make_folder(options_.out);
      write_whole_file(file, sealed_finding(client::to_text(finding, options_.command)));
      return true;
    } catch (const std::runtime_error& error) {
      if (failure_.empty()) failure_ = error.what();
      return false;
    }
  }

  const RunOptions& options_;
  reports::Progress progress_{2, reports::Terminal::of(2)};
  std::vector<std::string> files_;
  std::map<std::string, std::size_t> told_;  ///< Indices of files, by signature and functions.
  std::string failure_;  ///< The reason why the first unwritten finding was not written.
};

/// Returns the exit code, from all findings or only the new ones.
int code_of(const client::SearchResult& result, const RunOptions& options,
            const std::optional<SinceLastTime>& since) {
  if (options.new_only && since)
    return since->has_news ? kNotAsClaimed : result.stopped ? kStopped : kAsClaimed;
  if (!result.findings.empty()) return kNotAsClaimed;
  if (result.stopped) return kStopped;
  return kAsClaimed;
}

/// Errors: std::runtime_error if the kind of a suppression does not exist.
void require_known_kinds(const client::Suppressions& suppressions) {
  std::vector<std::string_view> known{"*", client::kFailure};
  for (const FaultKindInfo& info : kFaultKinds) known.push_back(info.label.view());
  for (const client::Suppression& one : suppressions.all())
    if (std::ranges::find(known, one.kind) == known.end())
      throw std::runtime_error(fmt::format("{}: there is no kind of fault '{}'; available: {}",
                                           suppressions.place(one), shown(one.kind),
                                           fmt::join(known, " ")));
}

client::Suppressions suppressions_of(const RunOptions& options) {
  if (options.suppressions.empty()) return {};
  client::Suppressions suppressions(options.suppressions);
  require_known_kinds(suppressions);
  return suppressions;
}

/// Finds a strategy of `run`. These differ from those of `fuzz`, because its runs are processes
/// that share no state.
const client::AnswersInfo& require_answers(const std::string& name) {
  if (const client::AnswersInfo* info = client::find_answers(name)) return *info;
  std::vector<std::string> known;
  for (const client::AnswersInfo& info : client::all_answers()) known.emplace_back(info.name);
  if (find(tables::strategies(), name) != nullptr)
    throw UsageError(
        fmt::format("strategy '{}' works within one process, but each run of a program is a "
                    "separate process; available: {}",
                    name, fmt::join(known, " ")));
  refuse_unknown(fmt::format("there is no strategy '{}' for run", name), name, known);
}

/// Refuses devices that `run` does not support: programs call only the simulated driver.
void require_run_device(const std::string& name) {
  if (name != "sim")
    throw UsageError(fmt::format("there is no device '{}' for run; available: sim", shown(name)));
}

}  // namespace

int run(const RunOptions& options, OpenEarlierSearches* open_earlier) {
  if (options.command.empty())
    throw UsageError(
        "a command is missing: afterlife run [OPTION...] -- COMMAND...; see `afterlife run "
        "--help`");
  require_command(options.command, "afterlife run --");
  require_run_device(options.device);
  client::SearchOptions search{{options.command, client::library_folder(), options.timeout_seconds},
                               &require_answers(options.strategy),
                               options.seed,
                               options.runs,
                               options.seconds,
                               suppressions_of(options),
                               !options.process_per_run,
                               options.failures,
                               options.pedantic,
                               options.forced,
                               options.jobs,
                               options.may_not_call};
  if (search.jobs > 1 && search.strategy->looks_back)
    throw UsageError(fmt::format(
        "strategy '{}' depends on the last run, so runs are sequential: leave out --jobs",
        search.strategy->name));
  if (search.runs == 0 && search.seconds == 0) search.seconds = kSecondsByDefault;
  const OutputFolder can_be_written(options.out);
  require_report_places(options);
  const std::atomic<bool>& stop = take_interrupts();
  const auto earlier = options.history.empty() ? nullptr : open_earlier(options);
  Watcher watcher(options);
  const client::SearchResult result = client::search(search, watcher, stop);
  std::optional<SinceLastTime> since;
  if (earlier != nullptr && !result.stopped && result.refusal.empty())
    since = earlier->add(result, stop);
  if (options.json)
    fmt::print("{}\n", with_history(reports::search_json(result, watcher.files()), since));
  else
    fmt::print("{}{}", reports::search_summary(result, reports::Terminal::of(1)),
               since ? since->text : "");
  const std::string why_unjudged = unjudged(result);
  write_reports(options, result, watcher.files(), why_unjudged);
  watcher.require_kept();
  if (!why_unjudged.empty()) throw std::runtime_error(why_unjudged);
  return code_of(result, options, since);
}

bool is_finding_file(const std::string& file) {
  std::error_code none;
  if (file.ends_with(kReproducerEnding) || !std::filesystem::is_regular_file(file, none))
    return false;
  return client::is_finding(
      ForeignFile::named_by_user(file, "finding").begin(client::kFindingBegin));
}

void require_no_finding(const std::vector<std::string>& files, std::string_view command) {
  for (const std::string& file : files)
    if (is_finding_file(file))
      throw UsageError(fmt::format("{}: is a finding of `run`, which {} does not take: replay it",
                                   printable(file), command));
}

}  // namespace harness::entries
