// SPDX-License-Identifier: Apache-2.0
// A search over a script, stopped where the command line seldom is.
#include "harness/client/outside/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "harness/base/sanitizers/sanitizers.h"

namespace harness::client {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Stops the search as soon as it minimizes.
class Impatient final : public SearchWatcher {
 public:
  void plain(const ClientRun&) override {}
  void progress(const SearchResult&, const char* doing, double) override {
    if (std::string_view(doing).starts_with("minimizing")) stop = true;
  }
  void found(const Finding& finding) override { findings.push_back(finding); }

  std::atomic<bool> stop{false};
  std::vector<Finding> findings;
};

TEST(ClientSearch, AFindingThatIsNotMinimizedKeepsItsDecisions) {
  if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
  if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  Impatient watcher;
  SearchOptions options;
  options.client.command = {"python3", "harness/client/tests/clients/collected.py"};
  options.client.library_folder = library_folder();
  options.runs = 60;
  const SearchResult result = search(options, watcher, watcher.stop);
  EXPECT_TRUE(result.stopped);
  ASSERT_THAT(watcher.findings, SizeIs(1));
  const Finding& finding = watcher.findings[0];
  EXPECT_EQ(finding.replay_count, 0u);
  ASSERT_THAT(finding.decisions, Not(IsEmpty())) << "only the collector ends the buffer";
  EXPECT_THAT(finding.decisions[0].who, Not(IsEmpty()));
}

TEST(ClientSearch, AFaultWithoutADeathHasNoPlaceOfOne) {
  if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
  Impatient watcher;
  SearchOptions options;
  options.client.command = {"python3", "harness/client/tests/clients/alike.py", "late"};
  options.client.library_folder = library_folder();
  options.runs = 20;
  const std::atomic<bool> goes_on{false};
  const SearchResult result = search(options, watcher, goes_on);
  ASSERT_THAT(result.findings, SizeIs(1)) << "one race, in either order";
  ASSERT_THAT(result.findings[0].faces, Not(IsEmpty()));
  for (const ToldFault& face : result.findings[0].faces) {
    EXPECT_EQ(face.death.site, "");
    EXPECT_THAT(face.death.place, IsEmpty()) << "it was freed before the late one ran";
  }
}

}  // namespace
}  // namespace harness::client
