// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/services.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "harness/command/output_folder.h"
#include "harness/nightly/command/build_search.h"
#include "harness/nightly/command/other_build.h"
#include "harness/nightly/command/phase.h"
#include "harness/nightly/command/programs/program_search.h"
#include "harness/nightly/command/replays.h"
#include "harness/nightly/command/target_search.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;

/// Returns the progress of a cell's search in words.
std::string state_of(const nightly::Cell& cell, std::uint64_t runs, std::size_t findings) {
  const std::string of =
      cell.budget.runs > 0 ? fmt::format(" of {}", reports::grouped(cell.budget.runs)) : "";
  return fmt::format("{:>12}{} runs  {} signatures", reports::grouped(runs), of, findings);
}

}  // namespace

NightlyServices::NightlyServices(const std::atomic<bool>& stop, std::size_t index,
                                 std::size_t count, std::vector<NightProgram> programs)
    : stop_(stop),
      programs_(std::move(programs)),
      shard_(count == 1 ? "" : fmt::format("shard {} of {}  ", index, count)) {}

std::string NightlyServices::write(const std::string& folder, const Finding& finding) {
  OutputFolder out(folder);
  out.keep(finding);
  if (out.failure()) throw std::runtime_error(*out.failure());
  return fs::path(out.file_of(finding)).filename().string();
}

std::map<std::string, std::string> NightlyServices::replay(const std::string& folder,
                                                           const nightly::Deadline& deadline) {
  std::map<std::string, std::string> differences;
  for (const auto& [file, replayed] : replay_folder(folder, deadline, stop_))
    differences[file] = replayed.difference;
  return differences;
}

// The fuzz build has one program for each path; each is checked only when it is to run.
bool NightlyServices::has_build(const std::string& build) const {
  const OtherBuild other = other_build(build);
  return build == kFuzzBuild ? fs::exists(fs::path(other.program).parent_path())
                             : other.why_not.empty();
}

nightly::BuildSearch NightlyServices::search_in_build(const nightly::Cell& cell,
                                                      std::span<const std::string> inputs,
                                                      const std::string& folder,
                                                      const nightly::Deadline& deadline) {
  return cell.build == kFuzzBuild ? search_by_target(cell, inputs, folder, deadline, stop_)
                                  : entries::search_in_build(cell, folder, deadline, stop_);
}

std::optional<nightly::CellRecord> NightlyServices::search_program(const nightly::Place& place,
                                                                   const nightly::Cell& cell,
                                                                   const std::string& folder) {
  if (programs_.empty())
    throw std::runtime_error("a night of programs needs their list: --programs FILE");
  show(nightly::Phase::run);
  return entries::search_program(cell, program_named(programs_, cell.variant), folder, stop_,
                                 [&](std::uint64_t runs, std::size_t findings) {
                                   show_state(place, cell, state_of(cell, runs, findings));
                                 });
}

void NightlyServices::show(const nightly::Place& place, const nightly::Cell& cell,
                           const SearchResult& found) {
  show_state(place, cell,
             cell.build.empty() ? state_of(cell, found.tally.runs, found.findings.size())
                                : fmt::format("in the build {}", cell.build));
}

void NightlyServices::show(nightly::Phase phase) { show_phase(phase); }

nightly::Circumstances NightlyServices::circumstances() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::seconds>(now).count(), peak_bytes(),
          machine_class()};
}

void NightlyServices::show_state(const nightly::Place& place, const nightly::Cell& cell,
                                 const std::string& state) {
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (!progress_.due(now)) return;
  progress_.show(now, fmt::format("{:>5.0f} s  {}[{}/{}] {:<28} {}", now, shard_, place.cell + 1,
                                  place.cells, cell.path + "/" + cell.variant, state));
}

}  // namespace harness::entries
