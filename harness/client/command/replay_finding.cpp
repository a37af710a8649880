// SPDX-License-Identifier: Apache-2.0
// How it works. A finding is replayed once, in a separate process. If its fault does not show, the
// program has changed: a bounded search checks whether the fault still occurs with other choices.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "harness/base/files/foreign_file.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/client/command/around_decisions.h"
#include "harness/client/command/replay_finding.h"
#include "harness/client/command/trust.h"
#include "harness/client/command/view_place.h"
#include "harness/client/outside/portable.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/outside/search/search.h"
#include "harness/client/views/client_views.h"
#include "harness/client/views/finding_timeline.h"
#include "harness/client/views/finding_views.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/report/perfetto_trace.h"
#include "harness/report/progress.h"

namespace harness::entries {
namespace {

constexpr std::uint64_t kFurtherRuns = 200;
constexpr double kFurtherSeconds = 20;

/// Returns whether both faults have the same kind and calls, regardless of the program's functions.
bool is_alike(const client::ToldFault& fault, const client::ToldFault& wanted) {
  return fault.kind == wanted.kind && fault.birth.site == wanted.birth.site &&
         fault.death.site == wanted.death.site && fault.use.site == wanted.use.site;
}

/// Stops a search once it finds such a fault.
class Further final : public client::SearchWatcher {
 public:
  Further(const client::ToldFault& wanted, const std::atomic<bool>& interrupted)
      : wanted_(wanted), interrupted_(interrupted) {}

  void plain(const client::ClientRun&) override {}
  void progress(const client::SearchResult& result, const char*, double seconds) override {
    if (interrupted_) stop_ = true;
    if (progress_.due(seconds))
      progress_.show(seconds, fmt::format("looking for it in further runs, {} of {}",
                                          result.run_count, kFurtherRuns));
  }
  void found(const client::Finding& finding) override {
    if (!is_alike(finding.fault, wanted_)) return;
    is_found_ = true;
    stop_ = true;
  }

  bool is_found() const { return is_found_; }
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  const client::ToldFault& wanted_;
  const std::atomic<bool>& interrupted_;
  bool is_found_ = false;
  std::atomic<bool> stop_{false};
  reports::Progress progress_{2, reports::Terminal::of(2)};
};

/// Returns the first recorded choice that the run was not offered, in words, or "".
std::string decision_without_place(const client::Finding& recorded, const client::ClientRun& run) {
  const std::vector<client::ToldDecision> made = run.decisions();
  const auto lost = std::ranges::find_if(recorded.decisions, [&](const auto& told) {
    return std::ranges::none_of(made,
                                [&](const auto& one) { return one.decision == told.decision; });
  });
  if (lost == recorded.decisions.end()) return {};
  return fmt::format("the run does not reach this choice: {}: {}", printable(lost->who),
                     printable(lost->answer));
}

client::SearchOptions further_search(const client::FindingFile& recorded,
                                     const client::Client& client) {
  client::SearchOptions options;
  options.client = client;
  options.client.timeout_seconds = kFurtherSeconds;
  options.runs = kFurtherRuns;
  options.seconds = kFurtherSeconds;
  options.fails =
      std::ranges::any_of(recorded.finding.decisions, &client::ToldDecision::is_failure);
  options.pedantic = recorded.finding.pedantic;
  options.forces = recorded.finding.is_forced();
  return options;
}

/// Returns how a run ended that cannot show that a bug is fixed: it failed without the recorded
/// fault, so it may not have reached the place; "" if it ended normally.
std::string bad_end(const client::FindingFile& recorded, const client::ClientRun& run) {
  const std::string complaint = run.own_failure(kFurtherSeconds);
  if (complaint == recorded.finding.fault.ended || !run.reports.empty()) return complaint;
  return complaint + ", before it called the CUDA driver";
}

/// Says whether a fault that the replay does not show still occurs.
std::string fate(const client::FindingFile& recorded, const client::Client& client,
                 const client::ClientRun& run, const std::atomic<bool>& interrupted) {
  const std::string ended = bad_end(recorded, run);
  if (!ended.empty() && run.reports.empty())
    return fmt::format("nothing was judged: the program {}\n", printable(ended));
  std::string words = decision_without_place(recorded.finding, run);
  if (!words.empty()) words += "\n";
  if (!ended.empty()) words += fmt::format("the program {}\n", printable(ended));
  const client::ToldFault& wanted = recorded.finding.fault;
  const auto begin = std::chrono::steady_clock::now();
  const Nearby nearby = look_around(
      client, recorded.finding,
      [&](const client::ToldFault& fault) { return is_alike(fault, wanted); }, interrupted);
  if (nearby.is_found)
    return words + fmt::format(
                       "not fixed: the fault shows near the old decisions, in one of {}; "
                       "`afterlife run` finds it again\n",
                       reports::counted(nearby.run_count, "further run"));
  const client::SearchOptions options = further_search(recorded, client);
  Further further(wanted, interrupted);
  const client::SearchResult result = client::search(options, further, further.stop());
  if (further.is_found())
    return words + fmt::format(
                       "not fixed: the fault shows under other decisions, in one of {}; "
                       "`afterlife run` finds it again\n",
                       reports::counted(nearby.run_count + result.run_count, "further run"));
  if (interrupted) return words + "stopped: whether it is fixed is not known\n";
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::string runs = fmt::format(
      "{} in {:.0f} s", reports::counted(nearby.run_count + result.run_count, "further run"),
      took.count());
  if (!ended.empty())
    return words + fmt::format(
                       "{} do not show the fault, but since the program fails, it is not known "
                       "whether it is fixed\n",
                       runs);
  return words + fmt::format("fixed, as far as {} can tell: none shows the fault\n", runs);
}

void write_views(const ReplayOptions& options, const ReplayedFinding& replayed) {
  const client::FindingFile& recorded = replayed.recorded;
  const std::string& file = options.files.front();
  if (!options.html.empty())
    write_whole_file(options.html, reports::finding_page(recorded.finding, recorded.command, file,
                                                         {.differs = replayed.differs}));
  if (!options.trace.empty())
    write_whole_file(options.trace, reports::perfetto_trace(reports::timeline(recorded.finding)));
  reports::FindingsReport report;
  report.command = recorded.command;
  report.findings = {recorded.finding};
  report.files = {file};
  if (!options.sarif.empty()) write_whole_file(options.sarif, reports::findings_sarif(report));
}

}  // namespace

ReadFinding read_finding(const std::string& file) {
  ReadFinding read{{}, ForeignFile::named_by_user(file, "finding").text()};
  try {
    read.recorded = client::parse_finding(read.text);
    read.recorded.command = client::startable(read.recorded.command);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", file, error.what()));
  }
  return read;
}

ReplayedFinding run_finding(const std::string& file, bool trusted, const std::atomic<bool>& stop) {
  constexpr double kSeconds = 600;
  const ReadFinding read = read_finding(file);
  ReplayedFinding replayed{read.recorded, {}, {}, ""};
  const client::FindingFile& recorded = replayed.recorded;
  require_trust(file, read.text, recorded.command, trusted);
  replayed.client = {recorded.command, client::library_folder(), kSeconds};
  replayed.run = client::replay(replayed.client, recorded.finding, stop);
  if (!replayed.run.ended.stopped) replayed.differs = client::difference(recorded, replayed.run);
  return replayed;
}

int replay_finding(const ReplayOptions& options) {
  const std::atomic<bool>& stop = take_interrupts();
  const ReplayedFinding replayed = run_finding(options.files.front(), options.trust, stop);
  const auto& [recorded, client, run, differs] = replayed;
  if (run.ended.stopped) return kStopped;
  const bool is_judged = !run.reports.empty() || bad_end(recorded, run).empty();
  const int code = differs.empty() ? kAsClaimed : is_judged ? kNotAsClaimed : kWorld;
  write_views(options, replayed);
  if (options.json) {
    fmt::print("{}\n", reports::finding_json(recorded, run, differs));
    return code;
  }
  if (!differs.empty()) fmt::print("recorded in the file:\n");
  fmt::print("{}", reports::finding_text(recorded.finding, "", reports::Terminal::of(1)));
  fmt::print("{}\n", differs.empty() ? "as recorded" : "not as recorded: " + differs);
  if (const std::string built = client::other_build(recorded); !differs.empty() && !built.empty())
    fmt::print("{}\n", built);
  if (options.why) fmt::print("\n{}", reports::finding_why(recorded.finding));
  print_written(options);
  std::fflush(stdout);
  if (!differs.empty() && run.find(recorded.finding.fault) == nullptr)
    fmt::print("{}", fate(recorded, client, run, stop));
  return code;
}

}  // namespace harness::entries
