// SPDX-License-Identifier: Apache-2.0
// How it works. The cell's numbers become options of `fuzz`, whose JSON has the findings.
#include "harness/nightly/command/build_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/process/process.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/command/other_build.h"
#include "harness/report/html.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using nightly::BuildSearch;
using nightly::Cell;
using nightly::FindingRecord;

/// Returns the arguments, without the program and the folder for reproducers.
Command command_of(const Cell& cell) {
  Command command{"fuzz", cell.path + "/" + cell.variant, "--seed", fmt::format("{}", cell.seed)};
  if (cell.budget.runs > 0)
    command.insert(command.end(), {"--runs", fmt::format("{}", cell.budget.runs)});
  else
    command.insert(command.end(), {"--seconds", fmt::format("{:.3f}", cell.budget.seconds)});
  return command;
}

FindingRecord finding_of(const Json& said) {
  FindingRecord finding;
  finding.kind = nightly::kFault;
  finding.hazard = said.at("hazard");
  finding.signature = said.at("signature");
  finding.other_runs = said.at("runs");
  finding.minimized = said.at("minimized");
  finding.file = fs::path(said.at("reproducer").get<std::string>()).filename();
  return finding;
}

void read(const Json& said, BuildSearch& search) {
  const Json& result = said.at("results").at(0);
  search.runs = result.at("runs");
  search.seconds = result.at("seconds");
  for (const Json& finding : result.at("findings"))
    if (finding.at("reproducer").is_string()) search.findings.push_back(finding_of(finding));
}

}  // namespace

std::string bad_end(const ProcessEnd& ended, double seconds) {
  constexpr std::string_view kSummary = "SUMMARY: ";
  if (const std::size_t at = ended.err.rfind(kSummary); at != std::string::npos) {
    const std::size_t begin = at + kSummary.size();
    return ended.err.substr(begin, ended.err.find('\n', begin) - begin);
  }
  const std::string complaint = ended.complaint(seconds);
  return complaint.empty() ? "said nothing that can be read" : complaint;
}

double seconds_for(const Cell& cell) {
  return 600 + 3 * cell.budget.seconds + static_cast<double>(cell.budget.runs);
}

BuildSearch search_in_build(const Cell& cell, const std::string& folder,
                            const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  const OtherBuild other = other_build(cell.build);
  const double most = seconds_for(cell), seconds = std::min(most, deadline.seconds_left());
  BuildSearch search{.why_not = other.why_not};
  if (search.why_not.empty() && seconds <= 0) search.why_not = kCutOff;
  if (!search.why_not.empty()) return search;
  Command command = command_of(cell);
  search.command =
      fmt::format("build/{}/{}", cell.build, fs::path(other.program).filename().string());
  for (const std::string& word : command) search.command += " " + reports::shell_word(word);
  command.insert(command.begin(), other.program);
  command.insert(command.end(), {"--json", "--out", folder});
  const ProcessEnd ended = run_process(command, {seconds, {}, kErrKept}, stop);
  if (ended.timed_out && seconds < most) return {.why_not = kCutOff};
  const Json said = Json::parse(ended.out, nullptr, false);
  try {
    if (ended.code == 0 || ended.code == 1) {
      read(said, search);
      return search;
    }
  } catch (const Json::exception&) {
  }
  search.ended_as = bad_end(ended, seconds);
  return search;
}

}  // namespace harness::entries
