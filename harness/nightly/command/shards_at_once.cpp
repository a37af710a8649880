// SPDX-License-Identifier: Apache-2.0
// How it works. Each process has a thread that waits for it, because a process is killed when the
// thread that started it ends. Progress is read from the shards' folders.
#include "harness/nightly/command/shards_at_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "harness/base/process/process.h"
#include "harness/nightly/shard/shard.h"
#include "harness/report/progress.h"

namespace harness::entries {
namespace {

constexpr double kNever = 1e9;  // In seconds. A shard is ended by its budget.
constexpr auto kPause = std::chrono::milliseconds(20);

class ShardsAtOnce {
 public:
  ShardsAtOnce(const NightlyOptions& options, const nightly::Plan& plan,
               const std::atomic<bool>& stop)
      : options_(options), plan_(plan), stop_(stop) {
    for (std::size_t index = 1; index <= plan.terms.shards; ++index)
      cell_count_ += nightly::cells_of(plan, index).size();
  }

  void run(std::size_t jobs) {
    std::vector<std::future<void>> running(jobs);
    for (auto& one : running) one = std::async(std::launch::async, [this] { work(); });
    for (auto& one : running)
      while (one.wait_for(kPause) != std::future_status::ready) show();
    for (auto& one : running) one.get();
  }

 private:
  void work() {
    for (std::size_t index = ++last_; index <= plan_.terms.shards && !stop_; index = ++last_)
      run_one(index);
  }

  void run_one(std::size_t index) const {
    Command command{"/proc/self/exe", "nightly",        "shard", fmt::format("{}", index),
                    "--history",      options_.history, "--json"};
    if (!options_.programs.empty())
      command.insert(command.end(), {"--programs", options_.programs});
    const ProcessEnd ended = run_process(command, {kNever, {}, kErrKept}, stop_);
    if (ended.code < 0 && !ended.stopped)
      fmt::print(stderr, "afterlife: shard {} of {} {}; it continues when the others have ended\n",
                 index, plan_.terms.shards, ended.complaint(kNever));
  }

  void show() {
    const double now =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (!progress_.due(now)) return;
    const std::string folder = NightFolder(options_.history).name();
    std::size_t finished = 0;
    for (std::size_t index = 1; index <= plan_.terms.shards; ++index)
      finished += nightly::finished_cells(plan_, index, folder);
    progress_.show(now, fmt::format("{:>5.0f} s  {} shards  [{}/{}]", now, plan_.terms.shards,
                                    finished, cell_count_));
  }

  const NightlyOptions& options_;
  const nightly::Plan& plan_;
  const std::atomic<bool>& stop_;
  std::size_t cell_count_ = 0;         ///< Cells of all shards.
  std::atomic<std::size_t> last_ = 0;  ///< The last shard that was started, counted from 1.
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  reports::Progress progress_{2, reports::Terminal::of(2)};
};

}  // namespace

void run_at_once(const NightlyOptions& options, const nightly::Plan& plan, std::size_t jobs,
                 const std::atomic<bool>& stop) {
  ShardsAtOnce(options, plan, stop).run(std::min(jobs, plan.terms.shards));
}

}  // namespace harness::entries
