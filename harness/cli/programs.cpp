// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "harness/base/files/fail.h"
#include "harness/base/files/foreign_file.h"
#include "harness/base/files/read.h"
#include "harness/command/lookup.h"
#include "harness/search/fuzz_records.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;

// Returns the window of a program's name: several programs of one window differ in a suffix, such
// as "nested_replaced" and "nested_replaced-context".
int window_named(const Scenario& scenario, std::string_view name) {
  int best = -1;
  std::size_t best_length = 0;
  for (std::size_t i = 0; i < scenario.windows.size(); ++i) {
    const std::string_view window = scenario.windows[i].name.view();
    const bool fits =
        name == window ||
        (name.starts_with(window) && (name[window.size()] == '-' || name[window.size()] == '_'));
    if (!fits || window.size() < best_length) continue;
    best = static_cast<int>(i);
    best_length = window.size();
  }
  return best;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (entry.path().extension() == kReproducerEnding) {
      require_regular_file(entry.path().string());
      files.push_back(entry.path());
    }
  if (failed)
    throw std::runtime_error(
        fmt::format("no programs in '{}': {}; run from the root of the tree, or use --programs",
                    folder.string(), failed.message()));
  std::sort(files.begin(), files.end());
  return files;
}

/// Returns the kinds of ops, each as often as it occurs.
std::multiset<std::uint32_t> ops_of(const Tape& tape) {
  std::multiset<std::uint32_t> ops;
  for (const Decision& decision : tape)
    if (decision.site_tag == site_tag(Site::op)) ops.insert(decision.value);
  return ops;
}

}  // namespace

Case read_plain(const std::string& corpus, const Scenario& scenario) {
  const std::string file = (fs::path(corpus) / scenario.name.view() / "seeds/plain").string();
  const std::string text = read_whole_file(file);
  if (text.empty()) fail(file, "is empty: expected a tape");
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  Tape tape = read_records(bytes);
  const Config config = config_at(scenario, config_of(tape));
  std::erase_if(tape, [](const Decision& record) { return record.activation == kConfigName; });
  return {&scenario, 0, config, &find_device("sim"), std::move(tape)};
}

std::vector<Program> read_programs(const std::string& corpus, const Scenario& scenario) {
  std::vector<Program> programs;
  for (const fs::path& file : files_in(fs::path(corpus) / scenario.name.view() / "programs")) {
    Program program{file.stem().string(), -1, read_reproducer(file.string())};
    if (program.reproducer.the_case.scenario != &scenario)
      throw std::runtime_error(fmt::format("{}: a program of another path", file.string()));
    program.window = window_named(scenario, program.name);
    programs.push_back(std::move(program));
  }
  return programs;
}

std::vector<Tape> read_smallest(const std::string& corpus, const Scenario& scenario,
                                const std::string& signature) {
  const fs::path folder = fs::path(corpus) / scenario.name.view() / "smallest";
  std::vector<Tape> tapes;
  if (!fs::is_directory(folder)) return tapes;
  for (const fs::path& file : files_in(folder)) {
    const Reproducer reproducer = read_reproducer(file.string());
    const std::vector<std::string>& faults = reproducer.faults;
    if (reproducer.the_case.scenario == &scenario &&
        std::find(faults.begin(), faults.end(), signature) != faults.end())
      tapes.push_back(reproducer.the_case.tape);
  }
  std::sort(tapes.begin(), tapes.end(), [](const Tape& a, const Tape& b) {
    return std::pair(op_count(a), a) < std::pair(op_count(b), b);
  });
  return tapes;
}

std::size_t op_count(const Tape& tape) { return ops_of(tape).size(); }

std::size_t shared_ops(const Tape& a, const Tape& b) {
  const std::multiset<std::uint32_t> mine = ops_of(a), other = ops_of(b);
  std::vector<std::uint32_t> shared;
  std::set_intersection(mine.begin(), mine.end(), other.begin(), other.end(),
                        std::back_inserter(shared));
  return shared.size();
}

}  // namespace harness::entries
