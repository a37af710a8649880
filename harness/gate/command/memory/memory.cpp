// SPDX-License-Identifier: Apache-2.0
// How it works. During the search, the bytes that the C library's heap has handed out are read
// after each slice of the runs. Buffers grow when a run is larger than all earlier ones, which
// becomes rare; a leak grows in every slice. So a low quartile of the slices' growth is reported:
// three quarters of the slices grew by more.
#include "harness/gate/command/memory/memory.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"
#include "harness/command/lookup.h"
#include "harness/report/json_text.h"
#include "harness/report/table.h"
#include "harness/search/search.h"

namespace harness::entries {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kSlices = 32;

/// Allocated heap bytes after each slice of a search.
class Growth {
 public:
  /// `runs`: number of runs of the whole search.
  explicit Growth(std::uint64_t runs) : slice_(std::max<std::uint64_t>(1, runs / kSlices)) {}

  /// Records the allocated bytes after this many runs.
  void note(std::uint64_t runs, std::int64_t bytes) {
    if (runs < next_) return;
    if (next_ > 0)
      per_run_.push_back(static_cast<double>(bytes - bytes_) / static_cast<double>(runs - runs_));
    runs_ = runs;
    bytes_ = bytes;
    next_ = runs + slice_;
  }

  std::int64_t bytes() const { return bytes_; }
  double per_million_runs() const {
    if (per_run_.empty()) return 0;
    std::vector<double> sorted = per_run_;
    std::sort(sorted.begin(), sorted.end());
    return 1e6 * sorted[sorted.size() / 4];
  }

 private:
  std::uint64_t slice_;
  std::uint64_t next_ = 0;
  std::uint64_t runs_ = 0;
  std::int64_t bytes_ = 0;
  std::vector<double> per_run_;
};

struct Memory {
  std::string variant;
  Growth growth;
};

std::int64_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// Returns the peak resident memory of this process.
std::int64_t peak_bytes() {
  constexpr std::int64_t kKibibyte = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * kKibibyte;
}

Memory measured(const Target& target, const MemoryOptions& options) {
  Memory memory{name_of(target), Growth(options.runs)};
  SearchOptions search_options;
  search_options.strategy = &find_strategy("random_walk");
  search_options.device = &find_device("sim");
  search_options.seed = options.seed;
  search_options.second_limit = 0;
  search_options.run_limit = options.runs;
  search_options.minimize = false;
  search_options.progress_seconds = 0;
  search_options.progress = [&](const SearchResult& result) {
    memory.growth.note(result.tally.runs, heap_bytes());
  };
  Runner runner;
  search(runner, *target.scenario, target.variant, search_options);
  return memory;
}

/// Returns the first sound variant of each path, or the named ones.
std::vector<Target> targets_of(const MemoryOptions& options) {
  std::vector<Target> chosen;
  for (const Target& target : find_targets(options.target)) {
    const bool is_sound = target.scenario->variants[target.variant].claim.kind == ClaimKind::sound;
    const bool is_named = options.target.find('/') != std::string::npos;
    const bool has_path = !chosen.empty() && chosen.back().scenario == target.scenario;
    if (is_named || (is_sound && !has_path)) chosen.push_back(target);
  }
  if (chosen.empty()) throw UsageError(fmt::format("'{}' has no sound variant", options.target));
  return chosen;
}

std::string table_of(const std::vector<Memory>& rows) {
  using reports::Align;
  reports::Table table({{"variant", Align::left, true},
                        {"heap, bytes", Align::right},
                        {"growth, bytes per million runs", Align::right}});
  for (const Memory& row : rows)
    table.add({{row.variant},
               {reports::grouped(static_cast<std::uint64_t>(row.growth.bytes()))},
               {fmt::format("{:.0f}", row.growth.per_million_runs())}});
  return table.to_string(reports::Terminal::of(1)) +
         fmt::format("{} bytes at most\n",
                     reports::grouped(static_cast<std::uint64_t>(peak_bytes())));
}

std::string json_of(const std::vector<Memory>& rows) {
  Json variants = Json::object();
  for (const Memory& row : rows)
    variants[row.variant] = {{"heap_bytes", row.growth.bytes()},
                             {"growth_per_million_runs", row.growth.per_million_runs()}};
  return reports::to_text({{"schema", 1}, {"peak_bytes", peak_bytes()}, {"variants", variants}});
}

}  // namespace

int memory(const MemoryOptions& options) {
  end_on_interrupts();
  std::vector<Memory> rows;
  for (const Target& target : targets_of(options)) rows.push_back(measured(target, options));
  fmt::print("{}", options.json ? json_of(rows) + "\n" : table_of(rows));
  return kAsClaimed;
}

}  // namespace harness::entries
