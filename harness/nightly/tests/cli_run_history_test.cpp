// SPDX-License-Identifier: Apache-2.0
// `afterlife run --history`: searches of one program that use the results of earlier ones.
#include "harness/nightly/tests/program_nights.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::buggy_script;
using testing::Bugs;
using testing::expect_one_line;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run_toys;
using testing::Words;
namespace fs = std::filesystem;

class CliRunHistory : public testing::RunStage {
 protected:
  /// Searches the script as it is now; `folder` is the checkout that it is in.
  Ended search(const Bugs& bugs, const Words& options = {}, int lines = 0,
               const std::string& folder = "here") {
    fs::create_directories(folder_ / folder);
    const std::string file = folder_ / (folder + "/mine.py");
    write_file(file, buggy_script(bugs, lines));
    Words all{"--history", history_, "--runs", "3"};
    all.insert(all.end(), options.begin(), options.end());
    return run(all, {"python3", file});
  }

  const std::string history_ = folder_ / "history";
};

TEST_F(CliRunHistory, ReportsNewKnownAndFixedFindings) {
  const Ended first = search({.first = true});
  EXPECT_EQ(first.code, 1) << first.out << first.err;
  EXPECT_THAT(first.out, HasSubstr("since the last time: 1 new, 0 known, 0 gone; search 1 of "));
  const Ended second = search({.first = true, .second = true});
  EXPECT_THAT(second.out, HasSubstr("since the last time: 1 new, 1 known, 0 gone; search 2 of "));
  const Ended third = search({.second = true});
  EXPECT_THAT(third.out, HasSubstr("since the last time: 0 new, 1 known, 1 gone; search 3 of "));
  EXPECT_THAT(third.out, HasSubstr("  gone      "));
}

TEST_F(CliRunHistory, NothingIsNewInAnotherCheckoutWithMovedLines) {
  ASSERT_EQ(search({.first = true, .second = true}).code, 1);
  const Ended moved = search({.first = true, .second = true}, {"--new-only"}, 7, "there");
  EXPECT_EQ(moved.code, 0) << moved.out << moved.err;
  EXPECT_THAT(moved.out, HasSubstr("since the last time: 0 new, 2 known, 0 gone; search 2 of "));
}

TEST_F(CliRunHistory, WithNewOnlyTheExitCodeDependsOnNewFindings) {
  EXPECT_EQ(search({.first = true}, {"--new-only"}).code, 1);
  EXPECT_EQ(search({.first = true}, {"--new-only"}).code, 0);
  EXPECT_EQ(search({.first = true}).code, 1) << "without the option, by all";
  EXPECT_EQ(search({.first = true, .second = true}, {"--new-only"}).code, 1);
  EXPECT_EQ(search({}, {"--new-only"}).code, 0);
}

TEST_F(CliRunHistory, ARegressionIsNews) {
  ASSERT_EQ(search({.first = true}, {"--new-only"}).code, 1);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(search({}, {"--new-only"}).code, 0);
  const Ended back = search({.first = true}, {"--new-only"});
  EXPECT_EQ(back.code, 1);
  EXPECT_THAT(back.out, HasSubstr("  regressed "));
}

TEST_F(CliRunHistory, IgnoredFindingsAreNotNews) {
  Words options{"--history", history_, "--runs", "3"};
  write_file(folder_ / "mine.py", buggy_script({.first = true}));
  const json report = found(options, {"python3", folder_ / "mine.py"}, 1);
  ASSERT_EQ(report["history"]["findings"].size(), 1u) << report["history"];
  EXPECT_EQ(report["history"]["findings"][0]["state"], "new");
  EXPECT_THAT(report["history"]["gone"], IsEmpty());
  const std::string cause = report["history"]["findings"][0]["cause"];
  const Ended marked = run_toys(
      {"nightly", "mark", cause, "ignored", "--because", "not ours", "--history", history_});
  ASSERT_EQ(marked.code, 0) << marked.err;
  options.emplace_back("--new-only");
  const json again = found(options, {"python3", folder_ / "mine.py"}, 0);
  EXPECT_EQ(again["history"]["findings"][0]["state"], "ignored");
}

TEST_F(CliRunHistory, TheHistoryHoldsNoCommand) {
  ASSERT_EQ(search({.first = true}).code, 1);
  const Ended exported = run_toys({"nightly", "export", "--history", history_});
  EXPECT_THAT(exported.out, HasSubstr("finding of program mine"));
  EXPECT_THAT(exported.out, Not(HasSubstr("python3")));
}

TEST_F(CliRunHistory, NewOnlyNeedsAHistory) {
  expect_one_line(run_toys({"run", "--new-only", "--", "true"}), 3, "--history");
}

TEST_F(CliRunHistory, TheOptionNameNamesFindings) {
  const Ended ended = search({.first = true}, {"--name", "suite-test_one"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("/found/suite-test_one-use_after_free-"));
  expect_one_line(run_toys({"run", "--name", "../up", "--", "true"}), 3, "is not a plain name");
}

TEST_F(CliRunHistory, AProgramWithoutCudaIsAcceptedOnRequest) {
  EXPECT_EQ(run({}, {"true"}).code, 2);
  const Ended fine = run({"--may-not-call"}, {"true"});
  EXPECT_EQ(fine.code, 0) << fine.err;
  EXPECT_EQ(run({"--may-not-call"}, {"false"}).code, 2) << "it fails by itself";
}

}  // namespace
}  // namespace harness
