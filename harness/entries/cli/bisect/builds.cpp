// SPDX-License-Identifier: Apache-2.0
// How it works. A program is stored under the hash of its commit's tree and of the build command,
// so commits with the same content share it. It is copied to a draft and renamed, so it is complete
// or absent. When there are many programs, the oldest are removed.
#include "harness/entries/cli/bisect/builds.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <vector>

#include "harness/entries/cli/bisect/stopped.h"
#include "harness/files/make_folder.h"
#include "harness/files/whole_file.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;

/// Time limit for the build of one revision.
constexpr double kBuildSeconds = 6 * 3600;
/// Number of programs that are kept.
constexpr std::size_t kKept = 64;

/// A note of the set-up with paths of this machine, which each source tree needs.
constexpr const char* kNote = "build/cuda_root.txt";

void keep_newest(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    kept.emplace_back(entry.last_write_time(), entry.path());
  if (kept.size() <= kKept) return;
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i + kKept < kept.size(); ++i) fs::remove_all(kept[i].second);
}

void keep(const std::string& program, const std::string& place) {
  make_folder(place);
  const std::string draft = place + "/draft";
  fs::copy_file(program, draft, fs::copy_options::overwrite_existing);
  fs::rename(draft, place + "/program");
}

}  // namespace

Builds::Builds(const Repository& repository, BuildCommand command, const std::atomic<bool>& stop)
    : repository_(repository), command_(std::move(command)), stop_(stop) {
  make_folder(repository_.folder() + "/programs");
  make_folder(repository_.folder() + "/logs");
}

std::string Builds::place_of(const std::string& commit) const {
  return fmt::format("{}/programs/{}-{:016x}", repository_.folder(), repository_.content_of(commit),
                     std::hash<std::string>{}(command_.command + '\n' + command_.program));
}

void Builds::prepare(const std::string& tree) const {
  const fs::path note = fs::path(repository_.root()) / kNote;
  const fs::path there = fs::path(tree) / kNote;
  if (!fs::exists(note) || fs::exists(there)) return;
  make_folder(there.parent_path().string());
  fs::copy_file(note, there);
}

Build Builds::in(const std::string& tree, const std::string& log) const {
  prepare(tree);
  const ProcessEnd ended = run_process(
      {"/bin/sh", "-c", R"(cd "$1" && eval "$2" > "$3" 2>&1)", "sh", tree, command_.command, log},
      {kBuildSeconds, {}, kErrKept}, stop_);
  if (ended.stopped) throw BisectionStopped();
  const std::string program = tree + "/" + command_.program;
  if (ended.code != 0) return {{}, fmt::format("does not build: see {}", log), true};
  if (!fs::exists(program))
    return {{}, fmt::format("its build creates no {}", command_.program), true};
  return {program, "", true};
}

Build Builds::of(const std::string& commit) const {
  const std::string place = place_of(commit);
  const std::string log = fmt::format("{}/logs/{:.12}.log", repository_.folder(), commit);
  if (fs::exists(place + "/program")) return {place + "/program", "", false};
  if (fs::exists(place + "/failed")) return {{}, "does not build", false};
  repository_.check_out(commit);
  const Build build = in(repository_.tree(), log);
  if (build.program) {
    keep(*build.program, place);
    keep_newest(repository_.folder() + "/programs");
    return {place + "/program", "", true};
  }
  make_folder(place);
  write_whole_file(place + "/failed", build.why + '\n');
  return build;
}

}  // namespace harness::entries
