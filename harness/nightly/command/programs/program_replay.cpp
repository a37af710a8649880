// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/programs/program_replay.h"

#include <algorithm>

#include "harness/nightly/command/programs/program_finding.h"
#include "harness/nightly/command/programs/program_search.h"

namespace harness::entries {

using nightly::Absence;
using nightly::AbsentFinding;

/// A finding of a program may not show in each run, so it is replayed up to this often.
static constexpr unsigned kReplays = 3;

Absence program_absence(const AbsentFinding& finding, std::span<const NightProgram> programs,
                        const nightly::Deadline& deadline, const std::atomic<bool>& stop) {
  const std::string name = program_of_reproducer(finding.reproducer);
  const auto program = std::ranges::find(programs, name, &NightProgram::name);
  if (program == programs.end()) return Absence::late;
  const client::FindingFile file = parse_program_reproducer(finding.reproducer, program->command);
  const client::Client client = search_of(*program, 1, {}).client;
  const InFolder there(program->folder);
  for (unsigned i = 0; i < kReplays && !stop; ++i) {
    if (deadline.has_passed()) return Absence::late;
    const auto shown = signatures_of(client::replay(client, file.finding, stop));
    if (std::ranges::find(shown, finding.signature) != shown.end()) return Absence::shown;
  }
  return Absence::gone;
}

}  // namespace harness::entries
