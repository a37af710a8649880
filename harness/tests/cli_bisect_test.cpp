// SPDX-License-Identifier: Apache-2.0
// `afterlife bisect` on histories of a small program: a script that answers as `afterlife` does,
// from a file that each commit holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/tests/child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kFault = "use_after_free Box born:make died:drop used:open";
constexpr const char* kOtherSite = "use_after_free Box born:make died:let_go used:open";
constexpr const char* kOtherKind = "wrong_value answer used:open";

/// Answers by the lines of `state`: the ops that it knows, and what a replay and a search find.
/// Ends with 2 where the file names an op that it does not know.
constexpr const char* kProgram = R"sh(
case $1 in
  list) printf '{"paths": [{"ops": ["make", "%s"]}]}' "$op" ;;
  replay)
    grep -q " op $op\$" "$2" || { echo "afterlife: no op" >&2; exit 2; }
    printf '{"faults": [%s]}' "${replay:+{\"signature\": \"$replay\"\}}" ;;
  fuzz) printf '{"results": [{"signatures": [%s]}]}' "${search:+\"$search\"}" ;;
esac
)sh";

/// A commit of the history: how its program answers.
struct Commit {
  std::string replay;  ///< Signature in which the recorded schedule ends.
  std::string search;  ///< Signature that a search finds.
  std::string op = "open";
  bool builds = true;
};

const Commit kWithout{};
const Commit kWith{kFault, kFault};
const Commit kBroken{.builds = false};

class CliBisect : public ::testing::Test {
 protected:
  void SetUp() override {
    git("init -q -b main .");
    write("program.sh", kProgram);
    write("file.repro", std::string("afterlife reproducer 1\npath box\nvariant borrow\n"
                                    "user:0 op make\nuser:1 op open\nfault ") +
                            kFault + "\nend\n");
    write(".gitignore", "/build/\n");
  }

  /// Commits each in turn, as tags c0, c1, ...
  void commit(const std::vector<Commit>& history) {
    for (const Commit& one : history) {
      write("state", "op='" + one.op + "'\nreplay='" + one.replay + "'\nsearch='" + one.search +
                         "'\n" + "# " + std::to_string(count_) + "\n");
      write("build.sh", one.builds
                            ? "echo >> \"$LOG\"; mkdir -p build && { echo '#!/bin/sh'; "
                              "cat state program.sh; } > build/program && chmod +x build/program\n"
                            : "exit 1\n");
      git("add -A");
      git("commit -q -m 'change " + std::to_string(count_) + "'");
      git("tag c" + std::to_string(count_++));
    }
  }

  Ended bisect(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"bisect", "file.repro", "--build", "sh -c '. ./build.sh'",
                                         "--program", "build/program"});
    return run_child("afterlife", std::move(arguments), [this] {
      setenv("LOG", (folder_ / "builds").c_str(), 1);
      if (chdir((folder_ / "tree").c_str()) != 0) _exit(99);
    });
  }
  json bisected(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Ended ended = bisect(std::move(arguments));
    EXPECT_LE(ended.code, 1) << ended.err;
    return json::parse(ended.out, nullptr, false);
  }

  std::string commit_of(const std::string& tag) {
    git("rev-parse " + tag + " > ../commit");
    const std::string text = read_file(folder_ / "commit");
    return text.substr(0, text.find('\n'));
  }
  std::size_t build_count() {
    const std::string log = read_file(folder_ / "builds");
    return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
  }
  void git(const std::string& command) {
    const std::string line = "mkdir -p '" + (folder_ / "tree") + "' && cd '" + (folder_ / "tree") +
                             "' && git -c user.name=a -c user.email=a@b " + command;
    ASSERT_EQ(std::system(line.c_str()), 0) << command;
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / ("tree/" + name)) << text;
  }

  Folder folder_;
  int count_ = 0;
};

std::vector<Commit> many(std::size_t count, const Commit& commit) { return {count, commit}; }

TEST_F(CliBisect, FindsTheCommitThatMadeIt) {
  commit(many(5, kWithout));
  commit({kBroken});
  commit(many(4, kWithout));
  commit(many(6, kWith));
  const json found = bisected({"--good", "c0"});
  EXPECT_EQ(found["left"], json::array({commit_of("c10")}));
  EXPECT_EQ(found["change"], "made");
  EXPECT_EQ(found["found_within"], 500);
  EXPECT_EQ(found["search_runs"], 5000);
  const Ended text = bisect({"--good", "c0"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("the first with it: "));
  EXPECT_THAT(text.out, HasSubstr(" change 10\n"));
}

TEST_F(CliBisect, FindsTheCommitThatFixedIt) {
  commit(many(3, kWith));
  commit(many(9, kWithout));
  const json found = bisected({"--bad", "c0", "--good", "c11"});
  EXPECT_EQ(found["left"], json::array({commit_of("c3")}));
  EXPECT_EQ(found["change"], "fixed");
}

TEST_F(CliBisect, BuildsEachRevisionOnce) {
  commit(many(8, kWithout));
  commit(many(8, kWith));
  bisected({"--good", "c0"});
  const std::size_t first = build_count();
  EXPECT_GE(first, 5u);
  const json again = bisected({"--good", "c0"});
  EXPECT_EQ(build_count(), first);
  for (const json& look : again["looks"]) EXPECT_EQ(look["built"], false);
}

TEST_F(CliBisect, TellsAllThatMayBeItWhereNeighboursDoNotBuild) {
  commit(many(4, kWithout));
  commit(many(2, kBroken));
  commit(many(4, kWith));
  const json found = bisected({"--good", "c0"});
  EXPECT_EQ(found["left"].size(), 3u);
  const Ended text = bisect({"--good", "c0"});
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.out, HasSubstr("is one of 3, which cannot be told apart"));
}

TEST_F(CliBisect, SearchesWhereTheScheduleHasMoved) {
  commit(many(4, kWithout));
  commit(many(3, {"", kFault}));
  commit(many(4, kWith));
  const json found = bisected({"--good", "c0"});
  EXPECT_EQ(found["left"], json::array({commit_of("c4")}));
  const json& looks = found["looks"];
  EXPECT_TRUE(std::any_of(looks.begin(), looks.end(), [](const json& look) {
    return look["how"] == "on another schedule" && look["by_search"];
  }));
}

TEST_F(CliBisect, SaysWhereASearchDoesNotFindIt) {
  commit(many(4, kWithout));
  commit(many(4, {kFault, ""}));
  const json found = bisected({"--good", "c0"});
  EXPECT_EQ(found["left"], json::array({commit_of("c4")}));
  EXPECT_EQ(found["found_within"], nullptr);
  EXPECT_THAT(std::string(found["confidence"]), StartsWith("by the recorded schedule alone"));
}

TEST_F(CliBisect, KnowsItByAnotherSiteAndAnOpByItsOtherName) {
  commit(many(3, {"", "", "look"}));
  commit(many(3, {kOtherSite, kOtherSite, "look"}));
  commit(many(3, {kOtherSite, kOtherSite}));
  commit(many(3, kWith));
  const json found = bisected({"--good", "c0"});
  EXPECT_EQ(found["left"], json::array({commit_of("c3")}));
}

TEST_F(CliBisect, TakesNoFaultOfAnotherKindForIt) {
  commit(many(4, {kOtherKind, kOtherKind}));
  commit(many(4, kWith));
  EXPECT_EQ(bisected({"--good", "c0"})["left"], json::array({commit_of("c4")}));
}

TEST_F(CliBisect, IsWhatGitDoesWithItsLine) {
  commit(many(4, kWithout));
  commit({kBroken});
  commit(many(2, kWithout));
  commit(many(4, kWith));
  const json found = bisected({"--good", "c0"});
  const std::string line = found["git"];
  setenv("LOG", (folder_ / "builds").c_str(), 1);
  git("status > /dev/null; cp file.repro ../kept.repro; (" + line + ") > ../git.log 2>&1");
  EXPECT_THAT(read_file(folder_ / "git.log"),
              HasSubstr(commit_of("c7") + " is the first bad commit"));
}

TEST_F(CliBisect, AStepAnswersForTheTreeThatIsCheckedOut) {
  commit({kWith});
  EXPECT_EQ(bisect({"--step"}).code, 1);
  EXPECT_EQ(bisect({"--step", "--fixed"}).code, 0);
  commit({kWithout});
  EXPECT_EQ(bisect({"--step"}).code, 0);
  EXPECT_EQ(bisect({"--step", "--fixed"}).code, 1);
  for (const char* option : {"--good=c0", "--bad=c0", "--runs=9", "--json"})
    EXPECT_EQ(bisect({"--step", option}).code, 3) << option;
  EXPECT_EQ(bisect({"--good", "c0", "--fixed"}).code, 3);
}

TEST_F(CliBisect, MeasuresWithAtMostSoManyRuns) {
  commit(many(2, kWithout));
  commit(many(2, kWith));
  EXPECT_EQ(bisected({"--good", "c0"})["found_within"], 500);
  EXPECT_EQ(bisected({"--good", "c0", "--runs", "499"})["found_within"], nullptr);
}

TEST_F(CliBisect, RefusesEndsThatAreNone) {
  commit(many(2, kWithout));
  commit(many(2, kWith));
  EXPECT_THAT(
      bisect({"--good", "c0", "--bad", "c1"}).err,
      HasSubstr(
          "c1 does not show the fault (not on the recorded schedule): name a revision that does"));
  EXPECT_THAT(bisect({"--good", "c2"}).err, HasSubstr("c2 may have the fault, too"));
  EXPECT_THAT(bisect({"--good", "nowhere"}).err, EndsWith("there is no revision 'nowhere'\n"));
  const Ended none = bisect({});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("--good is missing"));
  EXPECT_EQ(bisect({"--good", "HEAD"}).code, 3);
  write("file.repro", "afterlife reproducer 1\npath box\nend\n");
  EXPECT_THAT(bisect({"--good", "c0"}).err, HasSubstr("names no fault"));
}

}  // namespace
}  // namespace harness
