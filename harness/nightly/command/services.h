// SPDX-License-Identifier: Apache-2.0
// Nightly services: this program's work for a shard: progress, reproducers as `fuzz` writes them,
// searches in other processes, and replays in them.
#pragma once

#include <vector>

#include "harness/nightly/command/programs/program_list.h"
#include "harness/nightly/command/resources.h"
#include "harness/nightly/shard/shard.h"
#include "harness/report/progress.h"

namespace harness::entries {

/// Ownership: borrows `stop`.
class NightlyServices final : public nightly::Services {
 public:
  /// `stop` ends a search and a replay. Progress is reported for shard `index` of `count`.
  /// `programs`: those that a night of programs may start.
  NightlyServices(const std::atomic<bool>& stop, std::size_t index, std::size_t count,
                  std::vector<NightProgram> programs);

  std::string write(const std::string& folder, const Finding& finding) override;
  std::map<std::string, std::string> replay(const std::string& folder,
                                            const nightly::Deadline& deadline) override;
  bool has_build(const std::string& build) const override;
  nightly::BuildSearch search_in_build(const nightly::Cell& cell,
                                       std::span<const std::string> inputs,
                                       const std::string& folder,
                                       const nightly::Deadline& deadline) override;
  std::optional<nightly::CellRecord> search_program(const nightly::Place& place,
                                                    const nightly::Cell& cell,
                                                    const std::string& folder) override;
  void show(const nightly::Place& place, const nightly::Cell& cell,
            const SearchResult& found) override;
  void show(nightly::Phase phase) override;
  std::uint64_t instructions() override { return instructions_.count(); }
  nightly::Circumstances circumstances() const override;

 private:
  void show_state(const nightly::Place& place, const nightly::Cell& cell, const std::string& state);

  const std::atomic<bool>& stop_;
  std::vector<NightProgram> programs_;
  InstructionCounter instructions_;
  std::string shard_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  reports::Progress progress_{2, reports::Terminal::of(2)};
};

}  // namespace harness::entries
