// SPDX-License-Identifier: Apache-2.0
#include "harness/search/tests/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "harness/search/fuzz_records.h"

namespace harness::testing {

namespace fs = std::filesystem;

bool writes_corpus() { return std::getenv("AFTERLIFE_WRITE_CORPUS") != nullptr; }

fs::path corpus_of(const Scenario& scenario) { return fs::path("corpus") / scenario.name.view(); }

std::map<std::string, Reproducer> read_corpus(const Scenario& scenario, const char* folder) {
  std::map<std::string, Reproducer> files;
  if (!fs::exists(corpus_of(scenario) / folder)) return files;
  for (const auto& entry : fs::directory_iterator(corpus_of(scenario) / folder))
    files.emplace(entry.path().stem().string(), read_reproducer(entry.path().string()));
  return files;
}

std::vector<std::string> program_names(const Scenario& scenario,
                                       bool (*left_out)(const std::string& name)) {
  std::vector<std::string> names;
  for (const auto& [name, program] : read_corpus(scenario, "programs"))
    if (!left_out(name)) names.push_back(name);
  return names;
}

std::string as_test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

int window_of_program(const Scenario& scenario, std::string_view name) {
  name = name.substr(0, name.find('-'));
  for (std::size_t i = 0; i < scenario.windows.size(); ++i)
    if (scenario.windows[i].name.view() == name) return static_cast<int>(i);
  return -1;
}

void expect_plain_seed(const Scenario& scenario, Tape tape, std::string_view config) {
  const Config wanted = parse_config(scenario, config);
  std::uint32_t index = 0;
  while (!(config_at(scenario, index) == wanted)) ++index;
  tape.push_back({entries::kConfigName, entries::kConfigTag, 0, index});
  std::vector<std::uint8_t> expected(tape.size() * sizeof(Decision));
  entries::write_records(tape, expected.data(), expected.size());

  const fs::path file = corpus_of(scenario) / "seeds" / "plain";
  if (writes_corpus()) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(expected.data()),
               static_cast<std::streamsize>(expected.size()));
  }
  std::ifstream in(file, std::ios::binary);
  const std::vector<std::uint8_t> found{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(found, expected);
}

// ---- proofs -----------------------------------------------------------------------------------

static Tape without_slot(const Tape& tape, Name slot) {
  Tape rest;
  for (const Decision& decision : tape)
    if (decision.activation != slot) rest.push_back(decision);
  return rest;
}

Sought ProgramProofs::fault_of(const std::string& name, const Reproducer& program) const {
  Sought sought{.window = window_of_program(scenario_, name)};
  if (!program.faults.empty()) sought.signature = program.faults.front();
  return sought;
}

Proof ProgramProofs::prove(Case the_case, std::string_view variant, std::uint32_t decisions,
                           const Sought& sought) {
  the_case.variant = variant_named(scenario_, variant);
  Limits limits;
  limits.run_limit = ~std::uint64_t{0};
  limits.second_limit = 3600;  // Only so that a broken build ends.
  return harness::prove(runner_, the_case, decisions, limits, sought);
}

void ProgramProofs::expect_distinguished(const std::string& name, const Reproducer& program,
                                         std::string_view unsound, std::string_view sound,
                                         std::uint32_t most) {
  const Proof failing = prove(program.the_case, unsound, most, fault_of(name, program));
  EXPECT_TRUE(failing.failed) << name;
  expect_holds(name, program.the_case, sound, failing.decision_count);
}

void ProgramProofs::expect_holds(const std::string& name, const Case& the_case,
                                 std::string_view sound, std::uint32_t decisions, int in_window) {
  const Proof proof = prove(the_case, sound, decisions, {.window = in_window});
  EXPECT_TRUE(proof.complete && !proof.failed) << name;
  EXPECT_NE(proof.reached >> window_of_program(scenario_, name) & 1, 0u)
      << name << ": " << sound << " never went through the window";
}

void ProgramProofs::expect_smallest(const std::string& name, const Reproducer& program,
                                    std::string_view unsound, std::uint32_t most) {
  const Sought sought = fault_of(name, program);
  const std::uint32_t least = prove(program.the_case, unsound, most, sought).decision_count;
  for (const Decision& decision : program.the_case.tape) {
    if (decision.site_tag != site_tag(Site::op)) continue;
    Case smaller = program.the_case;
    smaller.tape = without_slot(smaller.tape, decision.activation);
    const Proof proof = prove(smaller, unsound, least, sought);
    EXPECT_TRUE(proof.complete && !proof.failed)
        << name << " without " << to_string(program, decision);
  }
}

}  // namespace harness::testing
