// SPDX-License-Identifier: Apache-2.0
#include "harness/client/command/minimize_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/base/files/fail.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/printable.h"
#include "harness/client/command/replay_finding.h"
#include "harness/client/command/trust.h"
#include "harness/client/outside/finding_file.h"
#include "harness/client/outside/search/completion.h"
#include "harness/client/views/client_views.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/report/json_text.h"
#include "harness/report/progress.h"

namespace harness::entries {
namespace {

using client::Finding;

/// Runs the program of one finding, and counts and shows the runs.
class Minimizing {
 public:
  Minimizing(const client::Client& client, const std::atomic<bool>& stop)
      : client_(client), stop_(stop) {}

  /// Minimizes the finding, starting from a run with its recorded choices.
  void minimize(Finding& finding, const client::ClientRun& run) {
    const client::Orders base = client::default_orders_of(finding);
    const int code = again("running without choices, run", base).ended.code;
    const client::Completion completion(
        client_, base,
        [this](const char* doing, const client::Orders& orders) { return again(doing, orders); },
        stop_, std::chrono::system_clock::now());
    completion.complete(finding, run, code);
    progress_.clear();
  }

  std::uint64_t run_count() const { return run_count_; }

 private:
  client::ClientRun again(const char* doing, const client::Orders& orders) {
    ++run_count_;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (progress_.due(seconds)) progress_.show(seconds, fmt::format("{} {}", doing, run_count_));
    return client::run_client(client_, orders, stop_);
  }

  const client::Client& client_;
  const std::atomic<bool>& stop_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  reports::Progress progress_{2, reports::Terminal::of(2)};
  std::uint64_t run_count_ = 0;
};

/// Returns the default output file: "x.min.run.json" for "x.run.json".
std::string beside(std::string file) {
  constexpr std::string_view kEnding = ".run.json";
  if (file.ends_with(kEnding)) file.resize(file.size() - kEnding.size());
  return file + ".min.run.json";
}

void print(const MinimizeOptions& options, const Finding& finding, std::size_t before,
           std::uint64_t runs, const std::string& file) {
  if (options.json) {
    const nlohmann::ordered_json object{{"schema", 1},
                                        {"signature", finding.fault.signature},
                                        {"decisions", finding.decisions.size()},
                                        {"decisions_before", before},
                                        {"runs", runs},
                                        {"replays", finding.replay_count},
                                        {"shown", finding.shown_count},
                                        {"fix", finding.fix},
                                        {"file", file}};
    fmt::print("{}\n", reports::to_text(object));
    return;
  }
  fmt::print("{}", reports::finding_text(finding, file, reports::Terminal::of(1)));
  const bool is_smaller = finding.decisions.size() < before;
  fmt::print("{}{}, {} in the file; {}\nwritten to {}\n", is_smaller ? "" : "already minimal: ",
             reports::counted(finding.decisions.size(), "choice"), before,
             reports::counted(runs, "run"), printable(file));
}

}  // namespace

int minimize_finding(const MinimizeOptions& options) {
  if (!options.programs.empty())
    throw UsageError("--programs is for reproducers: a finding of `run` has no corpus");
  const std::string file = options.out.empty() ? beside(options.file) : options.out;
  require_replaceable(file);
  const std::atomic<bool>& stop = take_interrupts();
  const ReplayedFinding replayed = run_finding(options.file, options.trust, stop);
  if (stop) return kStopped;
  const client::ToldFault* fault = replayed.run.find(replayed.recorded.finding.fault);
  if (fault == nullptr)
    fail(options.file,
         "nothing to minimize: its run does not show the fault; `afterlife replay` says more");
  Finding finding = replayed.recorded.finding;
  finding.fault = *fault;
  Minimizing minimizing(replayed.client, stop);
  minimizing.minimize(finding, replayed.run);
  if (stop) return kStopped;
  write_whole_file(file, sealed_finding(client::to_text(finding, replayed.recorded.command)));
  print(options, finding, replayed.recorded.finding.decisions.size(), minimizing.run_count(), file);
  return kAsClaimed;
}

}  // namespace harness::entries
