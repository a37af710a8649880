// SPDX-License-Identifier: Apache-2.0
// Findings replayed where the program has moved to another folder, or lines of it have moved: as
// recorded. Where its fault has moved or is gone they are not.
#include <filesystem>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::script;
using testing::Words;

/// Returns the program with a comment above each line after its own.
std::string with_comments(const std::string& text) {
  const std::size_t begin = text.find("\"\"\"\n") + 4;
  std::istringstream lines(text.substr(begin));
  std::string all = text.substr(0, begin);
  for (std::string line; std::getline(lines, line);)
    all += std::string(line.find_first_not_of(' ') == line.npos ? 0 : line.find_first_not_of(' '),
                       ' ') +
           "# A comment.\n" + line + "\n";
  return all;
}

class ClientMoved : public testing::RunStage {
 protected:
  /// Searches the program in a separate folder. Returns the file of its first finding.
  std::string found_in_a_folder(const std::string& text, const Words& options) const {
    fs::create_directory(folder_ / "before");
    fs::create_directory(folder_ / "after");
    write_file(folder_ / "before/program.py", text);
    Words words{"run", "--out", "found"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "python3", "program.py"});
    const Ended ended = run_in("before", words);
    EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
    for (const auto& entry : fs::directory_iterator(folder_ / "before/found"))
      return entry.path().string();
    return {};
  }

  /// Replays the finding with this program in another folder.
  Ended replay_of(const std::string& finding, const std::string& text) const {
    write_file(folder_ / "after/program.py", text);
    return run_in("after", {"replay", "--trust", finding});
  }

  Ended run_in(const std::string& folder, const Words& words) const {
    const std::string name = folder_ / folder;
    return run_child("afterlife_toys", words, [name] { (void)!::chdir(name.c_str()); });
  }
};

TEST_F(ClientMoved, AFindingIsAsRecordedInAnotherFolderWithACommentAboveEachLine) {
  for (const char* name : {"capturing.py", "collected.py", "captured.py", "recycled.py",
                           "dropped_by_thread.py", "initializing.py"}) {
    SCOPED_TRACE(name);
    const std::string text = read_file(script(name));
    const std::string finding = found_in_a_folder(text, {"--runs", "300", "--seconds", "20"});
    const Ended ended = replay_of(finding, with_comments(text));
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("\nas recorded\n"));
    EXPECT_THAT(read_file(finding), Not(HasSubstr(std::string(folder_ / ""))));
    fs::remove_all(folder_ / "before");
    fs::remove_all(folder_ / "after");
  }
}

TEST_F(ClientMoved, AFaultThatIsGoneIsSaidToBeFixedAfterFurtherRuns) {
  std::string text = read_file(script("capturing.py"));
  const std::string finding = found_in_a_folder(text, {"--runs", "60"});
  text.replace(text.find("if DEFERRED and"), 15, "if");
  const Ended ended = replay_of(finding, text);
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("not as recorded: the file has a fault that the run does not have"));
  EXPECT_THAT(ended.out,
              ContainsRegex("\nfixed, as far as 2[0-9][0-9] further runs in [0-9]+ s can tell"));
}

TEST_F(ClientMoved, AProgramThatDoesNotStartIsNotFixed) {
  const std::string text = read_file(script("capturing.py"));
  const std::string finding = found_in_a_folder(text, {"--runs", "60"});
  const Ended ended = replay_of(finding, "import a_module_that_is_missing\n" + text);
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("nothing was judged: the program ended with exit code 1: "
                                   "ModuleNotFoundError: No module named"));
  EXPECT_THAT(ended.out, Not(HasSubstr("fixed")));
}

TEST_F(ClientMoved, WhetherAProgramThatFailsOnItsWayIsFixedIsNotKnown) {
  std::string text = read_file(script("capturing.py"));
  const std::string finding = found_in_a_folder(text, {"--runs", "60"});
  text.insert(text.find("check(cuda.cuInit(0))") + 22, "None.typo\n");
  const Ended ended = replay_of(finding, text);
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("the program ended with exit code 1: AttributeError"));
  EXPECT_THAT(ended.out, HasSubstr("it is not known whether it is fixed"));
}

TEST_F(ClientMoved, AFaultThatHasMovedIsFoundAroundTheOldDecisions) {
  std::string text = read_file(script("capturing.py"));
  const std::string finding = found_in_a_folder(text, {"--runs", "60"});
  text.replace(text.find("    def __del__(self):"), 22, "    def end(self):");
  text.replace(text.find("\ndef record("), 1, "\n    def __del__(self):\n        self.end()\n\n");
  const Ended ended = replay_of(finding, text);
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("not fixed: the fault shows near the old decisions"));
}

TEST_F(ClientMoved, ADecisionThatNoLongerFitsIsNamed) {
  std::string text = read_file(script("capturing.py"));
  const std::string finding = found_in_a_folder(text, {"--runs", "60"});
  text.replace(text.find("for value in range(3):"), 22, "for value in (0, 1, 2):");
  text.replace(text.find("def check(status):"), 18, "def check(status, *more):\n    more = 1");
  const Ended ended = replay_of(finding, text);
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("the run does not reach this choice: program.py:"));
}

}  // namespace
}  // namespace harness
