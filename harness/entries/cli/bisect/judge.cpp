// SPDX-License-Identifier: Apache-2.0
#include "harness/entries/cli/bisect/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/entries/cli/bisect/asked.h"
#include "harness/files/whole_file.h"
#include "harness/process/process.h"

namespace harness::entries {
namespace {

using nlohmann::json;

/// Number of runs of the first search; each further search has four times as many.
constexpr std::uint64_t kFirstRuns = 500;

std::string kind_of(const std::string& signature) {
  return signature.substr(0, signature.find(' '));
}

}  // namespace

Judge::Judge(std::string file, Subject subject, std::string folder, const std::atomic<bool>& stop)
    : file_(std::move(file)),
      subject_(std::move(subject)),
      folder_(std::move(folder)),
      stop_(stop),
      names_{subject_.signature} {}

std::uint64_t Judge::search_runs() const { return found_within_ ? kCare * *found_within_ : 0; }

Judge::Shown Judge::run(const std::vector<std::string>& command) {
  const Answer answer = ask(command, stop_);
  if (!answer.said) return {false, answer.why, {}};
  return {true, "", signatures_in(*answer.said)};
}

Judge::Shown Judge::replay(const std::string& program, const std::string& file) {
  return run({program, "replay", file, "--json"});
}

Judge::Shown Judge::search(const std::string& program, std::uint64_t runs) {
  return run({program, "fuzz", subject_.path + "/" + subject_.variant, "--runs",
              std::to_string(runs), "--seed", "1", "--json", "--out", folder_ + "/found"});
}

std::set<std::string> Judge::ops_of(const std::string& program) {
  const ProcessEnd ended =
      run_process({program, "list", subject_.path, "--json"}, {600, {}, kErrKept}, stop_);
  const json answer = json::parse(ended.out, nullptr, false);
  if (ended.code != 0 || !answer.is_object()) return {};
  std::set<std::string> ops;
  for (const json& path : answer.value("paths", json::array()))
    for (const json& op : path.value("ops", json::array())) ops.insert(op);
  return ops;
}

/// If the program lacks exactly one op of the file, and has exactly one op that the calibrated
/// program lacks, writes the file with the op renamed. Returns the new file's name, else "".
std::string Judge::renamed(const std::string& program) {
  const std::set<std::string> known = ops_of(program);
  std::vector<std::string> missing, others;
  std::set_difference(subject_.ops.begin(), subject_.ops.end(), known.begin(), known.end(),
                      std::back_inserter(missing));
  std::set_difference(known.begin(), known.end(), ops_.begin(), ops_.end(),
                      std::back_inserter(others));
  if (missing.size() != 1 || others.size() != 1) return "";
  std::string file = folder_ + "/renamed.repro";
  write_whole_file(file, with_ops(subject_, {{missing.front(), others.front()}}));
  return file;
}

bool Judge::is_known(const std::set<std::string>& signatures) const {
  return std::any_of(signatures.begin(), signatures.end(),
                     [&](const std::string& one) { return names_.contains(one); });
}

void Judge::calibrate(const std::string& program, std::uint64_t most) {
  ops_ = ops_of(program);
  for (std::uint64_t runs = kFirstRuns; runs <= most; runs *= 4) {
    if (!is_known(search(program, runs).signatures)) continue;
    found_within_ = runs;
    return;
  }
}

Judgement Judge::judge(const std::string& program) {
  Shown shown = replay(program, file_);
  std::string by_other_name;
  if (!shown.could_run)
    if (const std::string file = renamed(program); !file.empty()) {
      shown = replay(program, file);
      by_other_name = ", with an older name of an operation";
    }
  if (!shown.could_run) return {Standing::unknown, shown.why, false};
  if (is_known(shown.signatures)) return {Standing::shown, "as recorded" + by_other_name, false};
  for (const std::string& signature : shown.signatures)
    if (kind_of(signature) == kind_of(subject_.signature)) {
      names_.insert(signature);
      return {Standing::shown, "as " + signature + by_other_name, false};
    }
  if (!found_within_) return {Standing::absent, "not on the recorded schedule", false};
  const std::uint64_t runs = search_runs();
  const Shown found = search(program, runs);
  if (!found.could_run) return {Standing::unknown, found.why, true};
  if (is_known(found.signatures)) return {Standing::shown, "on another schedule", true};
  return {Standing::absent, fmt::format("not in {} runs", runs), true};
}

}  // namespace harness::entries
