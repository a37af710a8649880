#include "harness/entries/cli/nightly/absent.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <vector>

#include "harness/entries/cli/nightly/phase.h"
#include "harness/entries/cli/nightly/replays.h"
#include "harness/files/whole_file.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using nightly::Absence;
using nightly::AbsentFinding;

/// The reproducers in a folder of their own, each named after its cause, while they are replayed.
/// What a killed program left there is removed first.
class AbsentFolder {
 public:
  AbsentFolder(const std::string& history, const std::vector<AbsentFinding>& findings)
      : folder_(fs::path(history) / "absent.part") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const AbsentFinding& finding : findings)
      write_whole_file((folder_ / file_of(finding)).string(), finding.reproducer, OnDisk::later);
  }
  ~AbsentFolder() {
    std::error_code none;
    fs::remove_all(folder_, none);
  }
  AbsentFolder(const AbsentFolder&) = delete;
  AbsentFolder& operator=(const AbsentFolder&) = delete;

  std::string name() const { return folder_.string(); }
  static std::string file_of(const AbsentFinding& finding) { return finding.cause + ".repro"; }

 private:
  fs::path folder_;
};

Absence absence_of(const AbsentFinding& finding, const ReplayedFile& replayed) {
  return replayed.is_replayed ? nightly::absence_in(finding.signature, replayed.faults)
                              : Absence::unclear;
}

}  // namespace

void replay_absent(nightly::History& history, const std::string& folder, const std::string& night,
                   const std::atomic<bool>& stop) {
  const nightly::Night looked_at = history.night(night);
  const std::vector<AbsentFinding> findings = history.absent(looked_at);
  if (findings.empty()) return;
  show_phase(nightly::Phase::replay);
  const AbsentFolder reproducers(folder, findings);
  const std::map<std::string, ReplayedFile> replays = replay_folder(reproducers.name(), stop);
  if (stop) return;
  std::map<std::string, Absence> absences;
  for (const AbsentFinding& finding : findings)
    if (const auto found = replays.find(AbsentFolder::file_of(finding)); found != replays.end())
      absences[finding.cause] = absence_of(finding, found->second);
  history.note(looked_at, absences);
}

}  // namespace harness::entries
