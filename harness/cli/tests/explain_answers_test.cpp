// SPDX-License-Identifier: Apache-2.0
// The answers of `explain`: of what the file records and the run has, and of what only the file
// has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/tests/child.h"
#include "harness/run/scenario/scenario.h"
#include "harness/search/tests/corpus.h"

namespace harness {
namespace {

using ::testing::HasSubstr;

/// A reproducer with a fault, of each path that has instruments.
std::vector<std::string> files_with_a_fault() {
  std::vector<std::string> files;
  for (const Scenario* scenario : tables::scenarios()) {
    if (scenario->make_instruments == nullptr) continue;
    for (const auto& [name, reproducer] : testing::read_corpus(*scenario, "repros"))
      if (!reproducer.faults.empty()) {
        files.push_back(testing::corpus_of(*scenario) / "repros" / (name + ".repro"));
        break;
      }
  }
  return files;
}

/// The text with another use site in its first fault.
std::string with_another_fault(std::string text) {
  const auto end = text.find('\n', text.find("\nfault ") + 1);
  return text.insert(end, "_elsewhere");
}

TEST(ExplainAnswers, AFaultThatTheRunHasIsAsRecorded) {
  ASSERT_FALSE(files_with_a_fault().empty());
  for (const std::string& file : files_with_a_fault())
    EXPECT_EQ(run_child("afterlife", {"explain", file}).code, 0);
}

TEST(ExplainAnswers, JsonIsOneObjectOnStdoutAndNothingElse) {
  for (const std::string& file : files_with_a_fault()) {
    const Ended ended = run_child("afterlife", {"explain", file, "--json"});
    EXPECT_TRUE(nlohmann::json::accept(ended.out)) << ended.out;
    EXPECT_TRUE(ended.out.starts_with("{") && ended.out.ends_with("}\n")) << ended.out;
    EXPECT_EQ(ended.err, "");
  }
}

TEST(ExplainAnswers, AFaultThatOnlyTheFileHasIsExitCode1) {
  const Folder folder;
  for (const std::string& file : files_with_a_fault()) {
    const std::string other = folder / "other.repro";
    write_file(other, with_another_fault(read_file(file)));
    const Ended ended = run_child("afterlife", {"explain", other});
    EXPECT_EQ(ended.code, 1) << file;
    EXPECT_THAT(ended.err, HasSubstr("the file has a fault that the run does not have: "));
    EXPECT_EQ(run_child("afterlife", {"explain", other, "--json"}).code, 1) << file;
  }
}

}  // namespace
}  // namespace harness
