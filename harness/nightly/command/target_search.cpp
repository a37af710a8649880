// SPDX-License-Identifier: Apache-2.0
// How it works. The target is build/fuzz/fuzz_PATH beside this program's folder. It prints the
// reproducer of a crash. libFuzzer prints how many of the given inputs cover something (INITED).
// The corpus is in a folder only during the search.
#include "harness/nightly/command/target_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "harness/base/files/read.h"
#include "harness/base/files/scratch_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/base/process/process.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/command/build_search.h"
#include "harness/nightly/command/other_build.h"
#include "harness/run/run.h"
#include "harness/search/search.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using nightly::BuildSearch;
using nightly::Cell;
using nightly::FindingRecord;

/// Limits of the corpus that is kept for a variant; the smallest inputs come first.
constexpr std::size_t kMostInputs = 512, kMostInputBytes = std::size_t{64} << 10;
constexpr std::size_t kStderrKept = std::size_t{1} << 20;
/// Fixed addresses, without which libFuzzer's result is not determined by its seed.
constexpr bool kFixed = true;
constexpr std::string_view kReproducerBegin = "afterlife reproducer ", kReproducerEnd = "\nend\n";

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

/// Returns the number after the last `before` in the text, or 0.
std::uint64_t number_after(const std::string& text, std::string_view before) {
  std::uint64_t number = 0;
  const std::size_t at = text.rfind(before);
  if (at == std::string::npos) return 0;
  const char* begin = text.data() + at + before.size();
  std::from_chars(begin, text.data() + text.size(), number);
  return number;
}

/// Returns the number of given inputs that libFuzzer kept after it had run all of them.
std::uint64_t worth_keeping(const std::string& err) {
  const std::size_t at = err.find("INITED");
  if (at == std::string::npos) return 0;
  return number_after(err.substr(at, err.find('\n', at) - at), "corp: ");
}

/// The folders of a running target.
class Corpus {
 public:
  explicit Corpus(std::span<const std::string> inputs) {
    for (const char* name : {"given", "found", "merged", "crashes"})
      fs::create_directory(folder(name));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      write_whole_file(fmt::format("{}/{:05}", folder("given"), i), bytes_of(inputs[i]),
                       OnDisk::later);
  }
  std::string folder(const std::string& name) const { return scratch_.name() + "/" + name; }

  /// Returns the smallest of the inputs that libFuzzer merged.
  std::vector<std::string> merged() const {
    std::vector<std::string> inputs;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder("merged")))
      inputs.push_back(hexadecimal(read_whole_file(entry.path().string())));
    const auto order = [](const std::string& a, const std::string& b) {
      return std::tuple(a.size(), a) < std::tuple(b.size(), b);
    };
    std::sort(inputs.begin(), inputs.end(), order);
    std::size_t count = 0, bytes = 0;
    while (count < std::min(kMostInputs, inputs.size()) &&
           (bytes += inputs[count].size() / 2) <= kMostInputBytes)
      ++count;
    inputs.resize(count);
    std::sort(inputs.begin(), inputs.end());
    return inputs;
  }

 private:
  ScratchFolder scratch_{"afterlife-inputs"};
};

/// Returns the reproducer that the target printed, or "".
std::string reproducer_in(const std::string& err) {
  const std::size_t begin = err.rfind(kReproducerBegin);
  if (begin == std::string::npos) return {};
  const std::size_t end = err.find(kReproducerEnd, begin);
  return end == std::string::npos ? "" : err.substr(begin, end + kReproducerEnd.size() - begin);
}

/// Returns the finding of a reproducer, by a run of this program.
FindingRecord finding_of(const std::string& reproducer, const std::string& folder) {
  FindingRecord finding;
  finding.kind = nightly::kFault;
  finding.file = "crash.repro";
  finding.other_runs = 1;
  const Reproducer parsed = parse_reproducer(reproducer, finding.file);
  Runner runner;
  const Outcome& outcome = runner.run(parsed.the_case);
  finding.signature = parsed.faults.empty() ? "no fault" : parsed.faults.front();
  finding.hazard = finding.signature.substr(0, finding.signature.find(' '));
  for (std::size_t i = outcome.faults.size(); i-- > 0;)
    if (outcome.faults[i].signature() == finding.signature)
      finding.hazard =
          hazard_of(*parsed.the_case.scenario, outcome.faults[i], outcome.windows[i]).view();
  write_whole_file((fs::path(folder) / finding.file).string(), reproducer);
  return finding;
}

Command command_of(const Cell& cell, const std::string& crashes) {
  Command command{"-seed=" + fmt::format("{}", 1 + cell.seed % 0x7fffffff),
                  "--variant=" + cell.variant, "-print_final_stats=1",
                  "-artifact_prefix=" + crashes + "/"};
  if (cell.budget.runs > 0)
    command.push_back(fmt::format("-runs={}", cell.budget.runs));
  else
    command.push_back(fmt::format("-max_total_time={:.0f}", std::max(1.0, cell.budget.seconds)));
  return command;
}

}  // namespace

BuildSearch search_by_target(const Cell& cell, std::span<const std::string> inputs,
                             const std::string& folder, const nightly::Deadline& deadline,
                             const std::atomic<bool>& stop) {
  const std::string name = "fuzz_" + cell.path;
  const OtherBuild other = other_build(kFuzzBuild, name);
  BuildSearch search{.why_not = other.why_not};
  const double most = seconds_for(cell), seconds = std::min(most, deadline.seconds_left());
  if (search.why_not.empty() && seconds <= 0) search.why_not = kCutOff;
  if (!search.why_not.empty()) return search;
  const Corpus corpus(inputs);
  Command command = command_of(cell, corpus.folder("crashes"));
  search.command = fmt::format("build/{}/{} --variant={} {} {}", kFuzzBuild, name, cell.variant,
                               command.front(), command.back());
  command.insert(command.begin(), other.program);
  command.insert(command.end(), {corpus.folder("found"), corpus.folder("given")});
  const auto begin = std::chrono::steady_clock::now();
  const ProcessEnd ended = run_process(command, {seconds, {}, kStderrKept, kFixed}, stop);
  if (ended.timed_out && seconds < most) return {.why_not = kCutOff};
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  search.seconds = spent.count();
  search.runs = number_after(ended.err, "stat::number_of_executed_units: ");
  search.inputs = {inputs.size(),
                   std::min<std::uint64_t>(inputs.size(), worth_keeping(ended.err)),
                   {inputs.begin(), inputs.end()}};
  if (const std::string reproducer = reproducer_in(ended.err);
      ended.code != 0 && !reproducer.empty())
    search.findings.push_back(finding_of(reproducer, folder));
  else if (ended.code != 0)
    search.ended_as = bad_end(ended, seconds);
  const ProcessEnd merge =
      run_process({other.program, "--variant=" + cell.variant, "-set_cover_merge=1",
                   corpus.folder("merged"), corpus.folder("found"), corpus.folder("given")},
                  {std::min(seconds, deadline.seconds_left()), {}, kErrKept, kFixed}, stop);
  if (merge.code == 0) search.inputs.kept = corpus.merged();
  return search;
}

}  // namespace harness::entries
