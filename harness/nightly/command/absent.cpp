// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/absent.h"

#include <algorithm>
#include <map>
#include <vector>

#include "harness/base/files/scratch_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/nightly/command/phase.h"
#include "harness/nightly/command/programs/program_finding.h"
#include "harness/nightly/command/programs/program_replay.h"
#include "harness/nightly/command/replays.h"

namespace harness::entries {
namespace {

using nightly::Absence;
using nightly::AbsentFinding;

std::string file_of(const AbsentFinding& finding) { return finding.cause + ".repro"; }

/// Replays the reproducers in a temporary folder. Returns the results by file name.
std::map<std::string, ReplayedFile> replayed(const std::vector<AbsentFinding>& findings,
                                             const nightly::Deadline& deadline,
                                             const std::atomic<bool>& stop) {
  const ScratchFolder folder("afterlife-absent");
  for (const AbsentFinding& finding : findings)
    write_whole_file(folder.name() + "/" + file_of(finding), finding.reproducer, OnDisk::later);
  return replay_folder(folder.name(), deadline, stop);
}

Absence absence_of(const AbsentFinding& finding, const ReplayedFile& file) {
  if (file.difference == nightly::kOutOfTime) return Absence::late;
  return file.is_replayed ? nightly::absence_in(finding.signature, file.faults) : Absence::unclear;
}

}  // namespace

void replay_absent(nightly::History& history, const nightly::Night& night,
                   std::span<const NightProgram> programs, const nightly::Deadline& deadline,
                   const std::atomic<bool>& stop) {
  std::vector<AbsentFinding> findings = history.absent(night);
  if (findings.empty()) return;
  show_phase(nightly::Phase::replay);
  std::map<std::string, Absence> absences;
  for (const AbsentFinding& finding : findings)
    if (!program_of_reproducer(finding.reproducer).empty())
      absences[finding.cause] = program_absence(finding, programs, deadline, stop);
  std::erase_if(findings,
                [&](const AbsentFinding& finding) { return absences.contains(finding.cause); });
  std::map<std::string, ReplayedFile> replays;
  if (!findings.empty()) replays = replayed(findings, deadline, stop);
  if (stop) return;
  for (const AbsentFinding& finding : findings)
    if (const auto found = replays.find(file_of(finding)); found != replays.end())
      absences[finding.cause] = absence_of(finding, found->second);
  history.note(night, absences);
}

}  // namespace harness::entries
