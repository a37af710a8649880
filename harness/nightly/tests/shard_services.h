// SPDX-License-Identifier: Apache-2.0
// Services for a shard that runs in the test's process, without other builds and programs.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "harness/nightly/shard/services.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::testing {

class ShardServices final : public nightly::Services {
 public:
  /// Returns the differences of the replays of a folder. Empty = none is replayed.
  std::function<std::map<std::string, std::string>(const std::string& folder)> replayed;
  std::function<void(const nightly::Place&, const nightly::Cell&)> shown;  ///< Gets progress.
  std::function<void(nightly::Phase)> began;
  std::function<std::uint64_t()> counted;  ///< Returns a number of instructions.
  int written = 0;  ///< Number of files of reproducers, which are named "1.repro" and so on.

  std::string write(const std::string& folder, const Finding& finding) override {
    const std::string file = std::to_string(++written) + ".repro";
    write_reproducer(folder + "/" + file, finding.reproducer);
    return file;
  }
  std::map<std::string, std::string> replay(const std::string& folder,
                                            const nightly::Deadline& /*deadline*/) override {
    return replayed ? replayed(folder) : std::map<std::string, std::string>();
  }
  bool has_build(const std::string& /*build*/) const override { return true; }
  nightly::BuildSearch search_in_build(const nightly::Cell& /*cell*/,
                                       std::span<const std::string> /*inputs*/,
                                       const std::string& /*folder*/,
                                       const nightly::Deadline& /*deadline*/) override {
    return {.why_not = "this program runs no other"};
  }
  std::optional<nightly::CellRecord> search_program(const nightly::Place& /*place*/,
                                                    const nightly::Cell& /*cell*/,
                                                    const std::string& /*folder*/) override {
    return std::nullopt;
  }
  void show(const nightly::Place& place, const nightly::Cell& cell,
            const SearchResult& /*found*/) override {
    if (shown) shown(place, cell);
  }
  void show(nightly::Phase phase) override {
    if (began) began(phase);
  }
  std::uint64_t instructions() override { return counted ? counted() : 0; }
};

}  // namespace harness::testing
