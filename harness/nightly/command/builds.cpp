// SPDX-License-Identifier: Apache-2.0
// How it works. Each other build replays the simplest reproducer of each finding in one process.
// New findings come first, because there may not be time for all.
#include "harness/nightly/command/builds.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "harness/base/files/scratch_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/command/other_build.h"
#include "harness/nightly/command/phase.h"
#include "harness/nightly/command/replays.h"

namespace harness::entries {
namespace {

using nightly::BuildReplays;

constexpr std::array kBuilds{"asan", "release", "tsan"};
/// Largest number of findings that each build replays.
constexpr std::size_t kMostFindings = 100;

std::string file_of(const std::string& cause) { return cause + ".repro"; }

/// Writes the reproducers into the folder. Returns the causes that have one.
std::vector<std::string> write_reproducers(nightly::History& history, const nightly::Night& night,
                                           const std::string& folder) {
  std::vector<std::string> causes;
  for (const nightly::NightFinding& finding : night.findings) {
    if (causes.size() == kMostFindings) break;
    const std::string& cause = finding.symptoms.front().cause;
    const std::string reproducer = history.reproducer(cause).value();
    if (finding.kind != nightly::kFault || reproducer.empty()) continue;
    write_whole_file(folder + "/" + file_of(cause), reproducer, OnDisk::later);
    causes.push_back(cause);
  }
  return causes;
}

BuildReplays replayed_by(const std::string& build, const OtherBuild& other,
                         const std::string& folder, const std::vector<std::string>& causes,
                         const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  BuildReplays replays{build, other.why_not, {}};
  if (!other.why_not.empty() || causes.empty()) return replays;
  const std::map<std::string, ReplayedFile> said =
      replay_folder(folder, deadline, stop, other.program);
  for (const std::string& cause : causes)
    if (const auto file = said.find(file_of(cause));
        file != said.end() && file->second.difference != nightly::kOutOfTime)
      replays.differences[cause] = file->second.difference;
  if (replays.differences.empty() && deadline.has_passed()) replays.why_not = nightly::kOutOfTime;
  return replays;
}

}  // namespace

void replay_in_builds(nightly::History& history, nightly::Night& night,
                      const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  show_phase(nightly::Phase::replay);
  const ScratchFolder folder("afterlife-builds");
  const std::vector<std::string> causes = write_reproducers(history, night, folder.name());
  std::vector<BuildReplays> builds;
  for (const std::string build : kBuilds) {
    const OtherBuild other = other_build(build);
    if (!other.is_own)
      builds.push_back(replayed_by(build, other, folder.name(), causes, deadline, stop));
  }
  if (stop) return;
  history.note_builds(night, builds);
  night.builds = builds;
}

}  // namespace harness::entries
