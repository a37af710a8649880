// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/services.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "harness/command/lookup.h"
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
using Differences = std::map<std::string, std::string>;

std::string write(const std::string& folder, const Finding& finding) {
  OutputFolder out(folder);
  out.keep(finding);
  if (out.failure()) throw std::runtime_error(*out.failure());
  return fs::path(out.file_of(finding)).filename().string();
}

Differences replay_all(const std::string& folder, const nightly::Deadline& deadline,
                       const std::atomic<bool>& stop) {
  Differences differences;
  for (const auto& [file, replayed] : replay_folder(folder, deadline, stop))
    differences[file] = replayed.difference;
  return differences;
}

/// Returns whether the build exists. The fuzz build has one program for each path; each is checked
/// only when it is to run.
bool has_build(const std::string& build) {
  const OtherBuild other = other_build(build);
  return build == kFuzzBuild ? fs::exists(fs::path(other.program).parent_path())
                             : other.why_not.empty();
}

/// Returns the progress of a cell's search in words.
std::string state_of(const nightly::Cell& cell, std::uint64_t runs, std::size_t findings) {
  const std::string of =
      cell.budget.runs > 0 ? fmt::format(" of {}", reports::grouped(cell.budget.runs)) : "";
  return fmt::format("{:>12}{} runs  {} signatures", reports::grouped(runs), of, findings);
}

}  // namespace

NightlyServices::NightlyServices(const std::atomic<bool>& stop, std::size_t index,
                                 std::size_t count, std::vector<NightProgram> programs)
    : programs_(std::move(programs)),
      shard_(count == 1 ? "" : fmt::format("shard {} of {}  ", index, count)) {
  services_.strategy = &find_strategy("random_walk");
  services_.device = &find_device("sim");
  services_.stop = &stop;
  services_.write = write;
  services_.clock = [] {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  services_.instructions = [this] { return instructions_.count(); };
  services_.peak_bytes = peak_bytes;
  services_.machine = machine_class();
  services_.replay = [&stop](const std::string& folder, const nightly::Deadline& deadline) {
    return replay_all(folder, deadline, stop);
  };
  services_.has_build = has_build;
  services_.search_in_build = [&stop](
                                  const nightly::Cell& cell, std::span<const std::string> inputs,
                                  const std::string& folder, const nightly::Deadline& deadline) {
    return cell.build == kFuzzBuild ? search_by_target(cell, inputs, folder, deadline, stop)
                                    : search_in_build(cell, folder, deadline, stop);
  };
  services_.phase = show_phase;
  services_.progress = [this](const nightly::Place& place, const nightly::Cell& cell,
                              const SearchResult& result) {
    show(place, cell,
         cell.build.empty() ? state_of(cell, result.tally.runs, result.findings.size())
                            : fmt::format("in the build {}", cell.build));
  };
  if (!programs_.empty())
    services_.search_program = [this, &stop](const nightly::Place& place, const nightly::Cell& cell,
                                             const std::string& folder) {
      return search_program(cell, program_named(programs_, cell.variant), folder, stop,
                            [&](std::uint64_t runs, std::size_t findings) {
                              show(place, cell, state_of(cell, runs, findings));
                            });
    };
}

void NightlyServices::show(const nightly::Place& place, const nightly::Cell& cell,
                           const std::string& state) {
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (!progress_.due(now)) return;
  progress_.show(now, fmt::format("{:>5.0f} s  {}[{}/{}] {:<28} {}", now, shard_, place.cell + 1,
                                  place.cells, cell.path + "/" + cell.variant, state));
}

}  // namespace harness::entries
