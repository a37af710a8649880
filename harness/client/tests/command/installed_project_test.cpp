// SPDX-License-Identifier: Apache-2.0
// A small project outside of this tree, with only the wheel installed: its tests by the plugin,
// the steps of the action, and its nights.
#include <nlohmann/json.hpp>

#include "harness/client/tests/command/installed_stage.h"
#include "harness/nightly/tests/program_nights.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::buggy_script;
using testing::Bugs;
using ::testing::ContainsRegex;
using testing::ended;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class InstalledProject : public testing::InstalledStage {
 protected:
  void SetUp() override {
    InstalledStage::SetUp();
    if (IsSkipped()) return;
    if (ended({"/usr/bin/python3", "-c", "import pytest, venv, yaml"}).code != 0)
      GTEST_SKIP() << "no pytest or yaml here: scripts/setup.sh installs them";
    made_ = wheel();
    lay_out("project", {.first = true});
  }

  /// Writes a checkout of the project: two programs, three tests, and the list for its nights.
  static void lay_out(const std::string& folder, const Bugs& bugs, int lines = 0) {
    fs::create_directories(in(folder + "/tests"));
    write_file(in(folder + "/server.py"), buggy_script(bugs, lines));
    write_file(in(folder + "/client.py"), buggy_script({}));
    write_file(in(folder + "/tests/test_all.py"),
               "import pathlib, runpy\n"
               "ROOT = pathlib.Path(__file__).parent.parent\n"
               "def test_server(): runpy.run_path(str(ROOT / 'server.py'))\n"
               "def test_client(): runpy.run_path(str(ROOT / 'client.py'))\n"
               "def test_plain(): assert 1 + 1 == 2\n");
    write_file(
        in(folder + "/programs.toml"),
        "[[program]]\nname = \"server\"\ncommand = [\"python3\", \"server.py\"]\nruns = 3\n"
        "[[program]]\nname = \"client\"\ncommand = [\"python3\", \"client.py\"]\nruns = 3\n");
  }

  /// Makes an environment that has the wheel, and of the system's packages pytest.
  static void install(const std::string& made) {
    const std::string environment = in("environment");
    ASSERT_EQ(ended({"/usr/bin/python3", "-m", "venv", "--system-site-packages", environment}).code,
              0);
    const ProcessEnd end =
        ended({environment + "/bin/pip", "install", "-q", "--no-index", "--no-deps", made});
    ASSERT_EQ(end.code, 0) << end.out << end.err;
  }

  /// The steps of the action in a checkout, for its server.
  ProcessEnd job(const std::string& folder) const {
    return ended({"/usr/bin/python3", "scripts/package/action.py", ".github/actions/afterlife",
                  in(folder), in("job"), "wheel=" + made_, "command=python3 server.py", "runs=3",
                  "new-only=true", "history=" + in("action")});
  }

  static json night(const std::string& folder, int code) {
    const ProcessEnd end = ended({in("environment/bin/afterlife"), "nightly", "--json", "--history",
                                  in("nights"), "--programs", in(folder + "/programs.toml")});
    EXPECT_EQ(end.code, code) << end.out << end.err;
    return json::parse(end.out);
  }
  /// Returns how many findings of a night have the state.
  static int count(const json& night, const char* state) {
    int count = 0;
    for (const json& finding : night["findings"]) count += finding["state"] == state;
    return count;
  }

  std::string made_;
};

TEST_F(InstalledProject, TheInstalledPluginFailsTheTestThatHasABug) {
  install(made_);
  const ProcessEnd end = ended({"sh", "-c",
                                fmt::format("cd '{}' && ../environment/bin/python -m pytest "
                                            "--afterlife --afterlife-runs 3 tests",
                                            in("project"))});
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("1 failed, 2 passed"));
  EXPECT_THAT(end.out, HasSubstr("use_after_free of device memory"));
  EXPECT_THAT(end.out, ContainsRegex("used +[^ ]*server.py:[0-9]+ in use"));
  EXPECT_THAT(end.out, ContainsRegex("fix +"));
  EXPECT_THAT(end.out, ContainsRegex("afterlife replay results/found/"
                                     "tests-test_all.py-test_server-[^ ]*use_after_free-"));
}

TEST_F(InstalledProject, TheStepsOfTheActionFailAJobForWhatIsNew) {
  const ProcessEnd first = job("project");
  EXPECT_EQ(first.code, 1) << first.out << first.err;
  EXPECT_THAT(read_file(in("job/summary.md")), HasSubstr("use_after_free"));
  const json sarif = json::parse(read_file(in("job/afterlife.sarif")));
  ASSERT_EQ(sarif["runs"][0]["results"].size(), 1u);
  EXPECT_THAT(first.out, HasSubstr("uses github/codeql-action/upload-sarif"));
  fs::remove_all(in("job"));
  lay_out("elsewhere", {.first = true}, 5);
  const ProcessEnd second = job("elsewhere");
  EXPECT_EQ(second.code, 0) << second.out << second.err;
  EXPECT_THAT(second.out, HasSubstr("0 new, 1 known"));
  fs::remove_all(in("job"));
  lay_out("elsewhere", {.first = true, .second = true});
  EXPECT_EQ(job("elsewhere").code, 1);
}

TEST_F(InstalledProject, NightsKnowABugInAnotherCheckoutOneMoreAndOneThatIsFixed) {
  if (!fs::exists(in("environment"))) install(made_);
  EXPECT_EQ(count(night("project", 1), "new"), 1);
  lay_out("moved", {.first = true}, 9);
  const json second = night("moved", 1);
  EXPECT_EQ(count(second, "new"), 0);
  EXPECT_EQ(count(second, "known"), 1);
  lay_out("moved", {.first = true, .second = true});
  const json third = night("moved", 1);
  EXPECT_EQ(count(third, "new"), 1);
  EXPECT_EQ(count(third, "known"), 1);
  lay_out("moved", {.second = true}, 2);
  const json fourth = night("moved", 1);
  EXPECT_EQ(count(fourth, "new"), 0);
  EXPECT_EQ(count(fourth, "known"), 1);
  ASSERT_EQ(fourth["absent"].size(), 1u) << fourth;
  EXPECT_EQ(fourth["absent"][0]["replay"], "gone");
}

/// Checks a file of GitHub's by its public schema.
ProcessEnd checked(const std::string& schema, const std::string& file) {
  return ended({"check-jsonschema", "--builtin-schema", "vendor." + schema, file});
}

TEST(GitHubFiles, AreAsTheirSchemasSay) {
  if (std::system("check-jsonschema --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no check-jsonschema here (PyPI), which has the schemas";
  const std::string action = ".github/actions/afterlife/action.yml";
  const ProcessEnd good = checked("github-actions", action);
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  for (const auto& one : fs::directory_iterator(".github/workflows")) {
    const ProcessEnd end = checked("github-workflows", one.path());
    EXPECT_EQ(end.code, 0) << one.path() << end.out << end.err;
  }
  const Folder folder;
  std::string text = read_file(action);
  text.replace(text.find("shell: bash"), 11, "shall: bash");
  write_file(folder / "action.yml", text);
  EXPECT_NE(checked("github-actions", folder / "action.yml").code, 0);
}

}  // namespace
}  // namespace harness
