// SPDX-License-Identifier: Apache-2.0
// `afterlife diverge` on scripts that answer as two programs do: each prints the faults of its run,
// and leaves the flow that it is said to have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/flow/flow.h"
#include "harness/tests/child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kFault = "use_after_free Box born:make died:drop used:open";

CodePlace place(const std::string& function, std::int64_t line) {
  return {function, "targets/box/box.cpp", line, line - 10, 3};
}

/// A run in which open() is called, and what follows.
Flow flow(std::vector<FlowPoint> then) {
  std::vector<FlowPoint> points{{place("box::run", 10), true, {}},
                                {place("box::open", 20), true, place("box::run", 12)}};
  points.insert(points.end(), then.begin(), then.end());
  Flow flow{points, {}};
  for (std::uint32_t i = 0; i < points.size(); ++i) flow.path.push_back(i);
  return flow;
}

const Flow kChecks = flow({{place("box::open", 22), false, {}}});
const Flow kForgets = flow({{place("box::open", 25), false, {}}});

class CliDiverge : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "tree");
    write("file.repro", std::string("afterlife reproducer 1\npath box\nvariant borrow\n"
                                    "user:1 op open\nfault ") +
                            kFault + "\nend\n");
    program("good", kChecks);
    program("bad", kForgets, kFault);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / ("tree/" + name)) << text;
  }

  /// Leaves a program whose run takes this way, and ends in this fault, if any.
  void program(const std::string& name, const Flow& flow, const std::string& fault = "") {
    const std::string faults = fault.empty() ? "" : R"({"signature": ")" + fault + "\"}";
    write(name,
          "#!/bin/sh\n[ \"$1 $3 $5\" = 'replay --flow --json' ] || exit 3\n"
          "cat > \"$4\" << 'END'\n" +
              to_text(flow) + "END\necho '{\"faults\": [" + faults + "]}'\n");
    std::filesystem::permissions(folder_ / ("tree/" + name), std::filesystem::perms::owner_all);
  }

  Ended diverge(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"diverge", "file.repro"});
    return run_child("afterlife", std::move(arguments), [this] {
      if (chdir((folder_ / "tree").c_str()) != 0) _exit(99);
    });
  }
  Ended diverge_programs(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--good-program", "./good", "--bad-program", "./bad"});
    return diverge(std::move(more));
  }

  void git(const std::string& command) {
    const std::string line =
        "cd '" + (folder_ / "tree") + "' && git -c user.name=a -c user.email=a@b " + command;
    ASSERT_EQ(std::system(line.c_str()), 0) << command;
  }

  Folder folder_;
};

TEST_F(CliDiverge, NamesTheFunctionAndWhereItIsCalled) {
  const Ended ended = diverge_programs();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(
      ended.out,
      "box::open behaves differently, at targets/box/box.cpp:25, after 2 edges in common\n  the "
      "good "
      "run continues at targets/box/box.cpp:22 in box::open\n  the bad run continues at "
      "targets/box/box.cpp:25 in box::open\n  called at targets/box/box.cpp:12 in box::run\n");
  const json told = json::parse(diverge_programs({"--json"}).out, nullptr, false);
  EXPECT_EQ(told["decided"]["function"], "box::open");
  EXPECT_EQ(told["decided"]["line"], 25);
  EXPECT_EQ(told["callers"].size(), 1u);
}

TEST_F(CliDiverge, SaysWhoseAnswerItMayHaveBeenHanded) {
  const FlowPoint asks{place("box::size", 40), true, place("box::open", 21)};
  const FlowPoint acts{place("box::act", 50), true, place("box::open", 23)};
  program("good", flow({asks, acts, {place("box::act", 51), false, {}}}));
  program("bad", flow({asks, acts, {place("box::act", 52), false, {}}}), kFault);
  EXPECT_THAT(diverge_programs().out,
              HasSubstr("  perhaps because of the result of box::size, at targets/box/box.cpp:40, "
                        "which its caller called last\n"));
  EXPECT_EQ(json::parse(diverge_programs({"--json"}).out)["handed_over"], true);
  program("good", flow({asks, {place("box::open", 24), false, {}}}));
  program("bad", flow({asks, {place("box::open", 25), false, {}}}), kFault);
  EXPECT_THAT(diverge_programs().out, HasSubstr("box.cpp:40, which it called last\n"));
  EXPECT_EQ(json::parse(diverge_programs({"--json"}).out)["handed_over"], false);
}

TEST_F(CliDiverge, SaysWhereRunsTakeOneWay) {
  program("bad", kChecks, kFault);
  const Ended ended = diverge_programs();
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out, "both runs take the same way through the code of the path\n");
  EXPECT_EQ(json::parse(diverge_programs({"--json"}).out)["diverge"], false);
}

TEST_F(CliDiverge, SaysWhichOfTwoProgramsThatDoNotDifferIsTheWrongOne) {
  program("good", kChecks, kFault);
  Ended ended = diverge_programs();
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("./good shows the fault, too; name what does not"));
  EXPECT_EQ(json::parse(diverge_programs({"--json"}).out)["good_shows_it"], true);
  program("good", kChecks);
  program("bad", kForgets);
  ended = diverge_programs();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("./bad: does not show the fault: name what does with --bad"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST_F(CliDiverge, HandsOnWhyAProgramCannotReplay) {
  write("bad", "#!/bin/sh\necho 'afterlife: --flow: this build counts no edges' >&2\nexit 3\n");
  const Ended ended = diverge_programs();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("./bad: cannot replay it: afterlife: --flow: this build counts"));
  write("bad", "#!/bin/sh\necho words\n");
  EXPECT_EQ(diverge_programs().code, 2);
  EXPECT_THAT(diverge_programs().err, HasSubstr("./bad: cannot replay it: prints no JSON"));
}

TEST_F(CliDiverge, WantsAGoodOneAndAReproducer) {
  EXPECT_EQ(diverge({}).code, 3);
  EXPECT_THAT(diverge({}).err, HasSubstr("--good is missing"));
  EXPECT_EQ(diverge({"--good", "HEAD", "--good-program", "./good"}).code, 3);
  write("file.repro", "nothing\n");
  EXPECT_EQ(diverge_programs().code, 2);
}

TEST_F(CliDiverge, BuildsTheRevisions) {
  git("init -q -b main .");
  write(".gitignore", "/build/\n/good\n/bad\n");
  write("build.sh", "mkdir -p build && cp kept build/program\n");
  for (const char* name : {"good", "bad"}) {
    std::filesystem::copy_file(folder_ / ("tree/" + std::string(name)), folder_ / "tree/kept",
                               std::filesystem::copy_options::overwrite_existing);
    git("add -A");
    git(std::string("commit -q -m ") + name);
  }
  const Ended ended =
      diverge({"--good", "HEAD~1", "--build", "sh build.sh", "--program", "build/program"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("box::open behaves differently"));
}

TEST_F(CliDiverge, AFlowIsAskedForOfABuildThatCountsEdges) {
  const Ended ended = run_child(
      "afterlife", {"replay", folder_ / "tree/file.repro", "--flow", folder_ / "flow.json"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("--flow: this build counts no edges; use the one of "
                                   "`./scripts/build.sh flow afterlife`"));
}

}  // namespace
}  // namespace harness
