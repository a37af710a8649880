// SPDX-License-Identifier: Apache-2.0
// Collections and switches that no run of this Python comes to by itself: off by default, and
// distinguished.
#include "harness/client/tests/forced_stage.h"
#include "harness/client/tests/interpreters.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::interpreters;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using ::testing::Not;
using testing::script;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::Words;
namespace fs = std::filesystem;

class ClientForced : public testing::ForcedStage {};

TEST_F(ClientForced, ACollectionWhereTheInterpreterDoesNotLookIsFoundOnlyWhenAskedFor) {
  const std::string file = script("unlooked.py");
  const json finding = found_by_force(unlooked_, "the collector runs, forced");
  EXPECT_EQ(finding["kind"], "use_after_free");
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "copy(target, address, 8)"));
  EXPECT_THAT(finding["why_forced"].get<std::string>(), StartsWith("Python 3."));
  expect_replayed(finding["file"]);
}

TEST_F(ClientForced, IsToldInWordsAllOver) {
  const Ended ended = run({"--runs", "60", "--forced"}, unlooked_);
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("use_after_free of device memory, forced\n"));
  EXPECT_THAT(ended.out, HasSubstr(": the collector runs, forced\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n  forced    Python 3."));
  EXPECT_THAT(ended.out,
              HasSubstr("\n            another version might, or a slightly different program"));
  EXPECT_THAT(ended.out, ::testing::ContainsRegex("\ncollections or thread switches were "
                                                  "forced in [0-9]+ runs\n60 runs, 1 finding, 1 of "
                                                  "them forced; "));
}

TEST_F(ClientForced, ReplayTellsItAndItsJson) {
  const json finding = found_by_force(unlooked_, "the collector runs, forced");
  const Ended told = testing::run_toys({"replay", finding["file"]});
  EXPECT_THAT(told.out, StartsWith("use_after_free of device memory, forced\n"));
  const json replayed = json::parse(testing::run_toys({"replay", "--json", finding["file"]}).out);
  EXPECT_EQ(replayed["as_recorded"], true);
  EXPECT_EQ(replayed["forced"], true);
  EXPECT_EQ(replayed["now"]["forced"], true);
  EXPECT_EQ(replayed["now"]["why_forced"], replayed["why_forced"]);
}

TEST_F(ClientForced, NothingSaysAWordOfItWhereNobodyAsks) {
  const Ended ended = run({"--runs", "30", "--json"}, {"python3", script("collected.py")});
  EXPECT_THAT(ended.out, HasSubstr("\"decisions\":[{\"who\""));
  EXPECT_THAT(ended.out, Not(HasSubstr("\"forced\"")));
  EXPECT_THAT(ended.out, Not(HasSubstr("why_forced")));
  for (const auto& kept : fs::directory_iterator(folder_ / "found"))
    EXPECT_THAT(read_file(kept.path()), Not(HasSubstr("\"forced\"")));
}

TEST_F(ClientForced, AFindingThatIsPossibleIsToldAsPossible) {
  const Words command{"python3", script("collected.py")};
  for (const char* seed : {"1", "2", "3"}) {
    const json result = found({"--runs", "40", "--forced", "--seed", seed}, command, 1);
    ASSERT_THAT(result["findings"], SizeIs(1));
    const json& finding = result["findings"][0];
    EXPECT_GT(result["forced"]["runs"], 0);
    EXPECT_FALSE(finding.contains("forced")) << finding["decisions"];
    ASSERT_THAT(finding["decisions"], SizeIs(1));
    EXPECT_EQ(finding["decisions"][0]["answer"], "the collector runs");
    expect_replayed(finding["file"]);
  }
}

TEST_F(ClientForced, NothingIsForcedThatASoundProgramCannotBear) {
  for (const char* name : {"sound.py", "locked.py"}) {
    const json result = found({"--runs", "40", "--forced"}, {"python3", script(name)}, 0);
    EXPECT_THAT(result["failures"], IsEmpty()) << name;
    EXPECT_GT(result["forced"]["runs"], 10) << name;
    EXPECT_EQ(result["forked"], true) << name;
  }
}

TEST_F(ClientForced, ACollectionBeforeACallIsForcedWithItsPlace) {
  // In one line: no line begins between the buffer's end and its use.
  const Words command = script_of("buffer = None; copy(target, address, 8)\n");
  const json finding = found_by_force(command, "the collector runs, forced");
  const json& decision = finding["decisions"][0];
  EXPECT_EQ(decision["who"], "before cuMemcpyDtoH 1 of thread 1");
  EXPECT_EQ(decision["place"][0]["line"], line_of(command[1], "buffer = None; copy("));
  expect_replayed(finding["file"]);
}

TEST_F(ClientForced, ACollectionBeforeALineIsForced) {
  // A collection that is forced before the call comes too late: the line has looked by then.
  const Words command = script_of(
      "ended = False\n"
      "def end(buffer):\n"
      "    global ended\n"
      "    ended = True\n"
      "    cuda.cuMemFree_v2(buffer.address)\n"
      "buffer = None\n"
      "if ended: copy(target, address, 8)\n"
      "buffer = True  # No one has looked up to here.\n");
  const json finding = found_by_force(command, "the collector runs, forced");
  const int line = line_of(command[1], "if ended:");
  EXPECT_THAT(finding["decisions"][0]["who"].get<std::string>(),
              EndsWith("script.py:" + std::to_string(line)));
  expect_replayed(finding["file"]);
}

TEST_F(ClientForced, ACollectorThatIsDisabledIsNotForced) {
  const Words command =
      script_of("import gc\ngc.disable()\nbuffer = None\ncopy(target, address, 8)\n");
  EXPECT_THAT(found({"--runs", "40", "--forced"}, command, 0)["findings"], IsEmpty());
}

TEST_F(ClientForced, ASwitchBetweenTwoLinesIsForced) {
  // The one that sets it sets it back before the interpreter looks.
  const Words command = script_of(
      "state = 0\n"
      "def change():\n"
      "    global state\n"
      "    for _ in range(9):\n"
      "        state = 1\n"
      "        state = 0\n"
      "def look():\n"
      "    cuda.cuCtxSetCurrent(context)\n"
      "    for _ in range(9):\n"
      "        if state:\n"
      "            cuda.cuMemFree_v2(address)\n"
      "            cuda.cuMemFree_v2(address)\n"
      "threads = [threading.Thread(target=act, name=act.__name__) for act in (change, look)]\n"
      "for one in threads: one.start()\n"
      "for one in threads: one.join()\n"
      "buffer = cuda.cuMemFree_v2 = None\n");
  EXPECT_THAT(found({"--runs", "60"}, command, 0)["findings"], IsEmpty());
  const json result = found({"--runs", "100", "--forced"}, command, 1);
  ASSERT_THAT(result["findings"], SizeIs(1)) << result["findings"];
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "double_free");
  EXPECT_EQ(finding.value("forced", false), true);
  EXPECT_EQ(finding["shown"], 3);
  EXPECT_THAT(finding.dump(), HasSubstr("look runs, forced"));
  EXPECT_THAT(finding["why_forced"].get<std::string>(), HasSubstr("switch"));
  expect_replayed(finding["file"]);
}

TEST_F(ClientForced, ASwitchAtACallThatKeepsTheLockIsForced) {
  const Words command = script_of(
      "copy = ctypes.PyDLL('libcuda.so.1').cuMemcpyDtoH_v2\n"
      "is_there, begun = True, threading.Lock()\n"
      "begun.acquire()\n"
      "def drop():\n"
      "    begun.acquire()\n"
      "    global is_there, buffer\n"
      "    cuda.cuCtxSetCurrent(context)\n"
      "    is_there = False\n"
      "    del buffer.close, buffer\n"
      "thread = threading.Thread(target=drop, name='dropper')\n"
      "def read(): is_there and copy(target, address, 8)\n"
      "thread.start()\n"
      "begun.release()\n"
      "read()\n"
      "thread.join()\n");
  const json finding = found_by_force(command, "dropper runs, forced", "300");
  EXPECT_EQ(finding["decisions"][0]["who"], "before cuMemcpyDtoH 1 of MainThread");
  EXPECT_EQ(finding["threads"]["died"], "dropper");
  expect_replayed(finding["file"]);
}

/// Returns a script that drops the buffer and uses it while another thread waits by `wait`.
std::string beside(const std::string& wait) {
  return "lock = threading.Lock()\n"
         "lock.acquire()\n"
         "thread = threading.Thread(target=" +
         wait +
         ")\n"
         "thread.start()\n"
         "buffer = None; copy(target, address, 8)\n"
         "lock.release()\n"
         "thread.join()\n";
}

TEST_F(ClientForced, ACallIsForcedToCollectWhereNoOtherThreadCould) {
  const json finding =
      found_by_force(script_of(beside("lock.acquire")), "the collector runs, forced");
  EXPECT_EQ(finding["decisions"][0]["who"], "before cuMemcpyDtoH 1 of MainThread");
  // One that wakes by the clock could. It waits again after its limits that pass early, and may
  // collect the buffer itself, without a context.
  const Words other =
      script_of(beside("lambda: any(lock.acquire(timeout=0.02) for _ in range(50))"));
  for (const json& found_there : found({"--runs", "60", "--forced"}, other, 1)["findings"])
    EXPECT_FALSE(found_there.contains("forced")) << found_there;
}

TEST_F(ClientForced, AFailureThatOnlyForceLeadsToIsToldSo) {
  const Words command = script_of(
      "def end(buffer): ending and os._exit(ending)\n"
      "ending = 5; buffer = None\n"
      "ending = 0\n"
      "len('')\n");
  EXPECT_THAT(found({"--runs", "40"}, command, 0)["failures"], IsEmpty());
  const json result = found({"--runs", "60", "--forced"}, command, 1);
  EXPECT_THAT(result["failures"], IsEmpty());
  ASSERT_THAT(result["findings"], SizeIs(1)) << result["findings"];
  EXPECT_EQ(result["findings"][0]["ended"], "ended with exit code 5");
  EXPECT_EQ(result["findings"][0]["forced"], true);
}

TEST_F(ClientForced, JsonIsInTheFormOfTheSchema) {
  const json forms = json::parse(read_file("results/schema.json"))["$defs"];
  const auto expect_form = [&](const json& object, const char* name) {
    const json& form = forms.at(name);
    for (const auto& key : form["required"]) EXPECT_TRUE(object.contains(key)) << key;
    for (const auto& [key, value] : object.items()) {
      ASSERT_TRUE(form["properties"].contains(key)) << key;
      const json& told = form["properties"][key];
      if (told.contains("const")) {
        EXPECT_EQ(value, told["const"]) << key;
      }
    }
  };
  for (const bool forces : {true, false}) {
    const Words options = forces ? Words{"--runs", "40", "--forced"} : Words{"--runs", "40"};
    const Words possible{"python3", script("collected.py")};
    const json result = found(options, forces ? unlooked_ : possible, 1);
    expect_form(result, "client_search");
    EXPECT_EQ(result.contains("forced"), forces);
    ASSERT_THAT(result["findings"], SizeIs(1));
    const json& finding = result["findings"][0];
    expect_form(finding, "client_finding");
    EXPECT_EQ(finding.contains("forced"), forces);
    EXPECT_EQ(finding.contains("why_forced"), forces);
    for (const json& decision : finding["decisions"]) {
      expect_form(decision, "client_decision");
      EXPECT_EQ(decision.contains("forced"), forces) << "there is one decision";
    }
  }
}

TEST_F(ClientForced, EachSingleDecisionIsTriedByDeviations) {
  const json result = found({"--strategy", "deviations", "--runs", "80", "--forced"}, unlooked_, 1);
  ASSERT_THAT(result["findings"], SizeIs(1));
  EXPECT_EQ(result["findings"][0].value("forced", false), true);
  EXPECT_GE(result["tried_whole"], 1);
}

TEST_F(ClientForced, OneThatTurnsOutToBePossibleIsToldAgain) {
  const Words command = script_of(
      "is_open = True\n"
      "def end(buffer): is_open and cuda.cuMemFree_v2(buffer.address)\n"
      "buffer = None\n"
      "is_open = False\n"
      "for i in range(20):\n"
      "    len('')\n"
      "is_open = True\n"
      "len('')\n"
      "copy(target, address, 8)\n");
  const Words options{"--strategy", "deviations", "--runs", "130", "--forced"};
  const Ended ended = run(options, command);
  EXPECT_EQ(ended.code, 1);
  const std::size_t first = ended.out.find("use_after_free of device memory, forced\n");
  const std::size_t again = ended.out.find(
      "\nreported as forced, but possible without it:\nuse_after_free of device memory\n");
  EXPECT_LT(first, again) << ended.out;
  EXPECT_NE(again, ended.out.npos) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("\n130 runs, 1 finding; "));
  const json result = found(options, command, 1);
  ASSERT_THAT(result["findings"], SizeIs(1));
  EXPECT_FALSE(result["findings"][0].contains("forced"));
  expect_replayed(result["findings"][0]["file"]);
}

TEST_F(ClientForced, EachPythonHasItAndSaysWhyInItsOwnWords) {
  for (const std::string& python : interpreters()) {
    SCOPED_TRACE(python);
    const json finding =
        found_by_force({python, script("unlooked.py")}, "the collector runs, forced", "40");
    const std::string why = finding["why_forced"];
    const bool is_old = why.starts_with("Python 3.10 ") || why.starts_with("Python 3.11 ");
    EXPECT_THAT(why,
                EndsWith(is_old ? "collects there only if a container is made, which is not seen"
                                : "does not look there whether to collect"));
  }
}

}  // namespace
}  // namespace harness
