// SPDX-License-Identifier: Apache-2.0
// Threads of a program in C++ take turns: what few of their schedules show is found, replays, and
// is not there where the program is right.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "harness/base/tests/sampled.h"
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run_toys;
using testing::Words;

class ClientNativeThreads : public testing::RunStage {
 protected:
  Words command(const std::string& mistake, bool fixed = false) const {
    Words words{testing::program_folder() / "client_racing", mistake};
    if (fixed) words.emplace_back("fixed");
    return words;
  }
};

/// The result of a mistake: a fault of the driver's, a deadlock, or a program that aborts.
struct Mistake {
  const char* name;
  const char* signature;
};

class ClientNativeMistakes : public ClientNativeThreads,
                             public ::testing::WithParamInterface<Mistake> {};

TEST_P(ClientNativeMistakes, AreFoundFromSeveralSeedsAndReplay) {
  for (unsigned seed = 1; seed <= sampled(3, 1); ++seed) {
    const auto begin = std::chrono::steady_clock::now();
    const json result = found({"--seconds", "20", "--runs", "100", "--seed", std::to_string(seed)},
                              command(GetParam().name), 1);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
    ASSERT_GE(result["findings"].size(), 1u) << seed;
    const json& finding = result["findings"][0];
    EXPECT_THAT(std::string(finding["signature"]), HasSubstr(GetParam().signature)) << seed;
    EXPECT_EQ(finding["doubt"], "") << seed;
    EXPECT_EQ(finding["shown"], 3) << seed;
    const Ended ended = run_toys({"replay", finding["file"]});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  }
}

TEST_P(ClientNativeMistakes, AreNotThereWhereTheProgramIsRight) {
  const json result =
      found({"--runs", std::to_string(sampled(100, 30))}, command(GetParam().name, true), 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

constexpr Mistake kMistakes[] = {
    {"publication", "data_race"},    {"stop_token", "use_after_free"}, {"reference", "Aborted"},
    {"local_destructor", "Aborted"}, {"swapped", "use_after_free"},    {"asleep", "use_after_free"},
    {"lost_wakeup", "deadlock"},     {"condition", "Aborted"},         {"notified_one", "deadlock"},
    {"two_locks", "deadlock"},       {"checked_twice", "Aborted"},     {"aba", "Aborted"},
    {"latched", "Aborted"},          {"posted_first", "Aborted"},      {"flag_first", "Aborted"},
    {"one_barrier", "Aborted"},      {"upgraded", "Aborted"},          {"task", "Aborted"}};

/// Runs this many runs of a search. Returns the schedules of those that ended well, a line each.
class Schedules {
 public:
  explicit Schedules(std::string file) : file_(std::move(file)) {
    ::setenv("AFTERLIFE_SCHEDULES", file_.c_str(), 1);
  }
  ~Schedules() { ::unsetenv("AFTERLIFE_SCHEDULES"); }
  Schedules(const Schedules&) = delete;
  Schedules& operator=(const Schedules&) = delete;

  std::multiset<std::string> all() const {
    std::multiset<std::string> lines;
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) lines.insert(line);
    return lines;
  }

 private:
  std::string file_;
};

// The shortest of them have room for four schedules in a round.
TEST_P(ClientNativeMistakes, HaveManySchedulesWhichAreTheSameInEachSearch) {
  Words thrice = command(GetParam().name, true);
  thrice.emplace_back("3");
  std::vector<std::multiset<std::string>> searches;
  for (const char* name : {"first", "second"}) {
    const Schedules schedules(folder_ / name);
    found({"--runs", "100", "--seed", "7"}, thrice, 0);
    searches.push_back(schedules.all());
  }
  EXPECT_EQ(searches[0].size(), 100u);
  EXPECT_EQ(searches[0], searches[1]);
  const std::set<std::string> distinct(searches[0].begin(), searches[0].end());
  std::cout << GetParam().name << ": " << distinct.size() << " schedules in 100 runs\n";
  EXPECT_GE(distinct.size(), 10u);
}

// Defects that were planted turned these red: mutexes that offer no turn, two_locks and condition;
// a thread that does not wait for its turn, all, and HaveManySchedules as well; a clock that stays
// where it is, AnHourPasses.
INSTANTIATE_TEST_SUITE_P(All, ClientNativeMistakes, ::testing::ValuesIn(kMistakes),
                         [](const auto& info) { return info.param.name; });

class ClientUnheld : public ClientNativeThreads {
 protected:
  Words part(const char* name) const {
    return {testing::program_folder() / "client_turning", name};
  }
};

TEST_F(ClientUnheld, AThreadThatSpinsRunsBesideOthersAndIsNamed) {
  const json result = found({"--runs", "1"}, part("spinning"), 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_THAT(std::string(result["findings"][0]["doubt"]), HasSubstr("so others ran beside it"));
}

TEST_F(ClientUnheld, SoDoesOneThatWaitsInTheKernelUnseen) {
  const json result = found({"--runs", "1"}, part("unseen"), 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_THAT(std::string(result["findings"][0]["doubt"]),
              HasSubstr("thread 1 waits for something that Afterlife does not see"));
}

TEST_F(ClientUnheld, AnHourPassesInTheOrderOfItsMomentsAndTakesNoTime) {
  const auto begin = std::chrono::steady_clock::now();
  const json result = found({"--runs", "30"}, part("sleepy"), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

TEST_F(ClientUnheld, AShortTimeLimitMayPassWhileAnotherThreadWorks) {
  const json result = found({"--runs", "100"}, part("given_up"), 1);
  ASSERT_GE(result["findings"].size(), 1u);
  EXPECT_THAT(std::string(result["findings"][0]["signature"]), HasSubstr("use_after_free"));
  EXPECT_EQ(result["findings"][0]["doubt"], "");
  EXPECT_EQ(result["findings"][0]["shown"], 3);
}

TEST_F(ClientUnheld, WhichALoopSurvives) {
  Words looping = part("given_up");
  looping.emplace_back("fixed");
  const json result = found({"--runs", "100"}, looping, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

TEST_F(ClientUnheld, FunctionsThatTheDriverCallsWakeThreadsInTheirLastCall) {
  const json result = found({"--runs", "100"}, part("jumping"), 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

TEST_F(ClientUnheld, AThreadOfAProgramWithARuntimeTakesTurnsBeforeTheFirstCall) {
  const json result = found({"--runs", "20"}, part("early"), 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_EQ(result["findings"][0]["doubt"], "");
  EXPECT_EQ(result["findings"][0]["shown"], 3);
}

TEST_F(ClientUnheld, AChildOfForkGoesOnWithItsOneThread) {
  const json result = found({"--runs", "20"}, part("forking"), 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_EQ(result["findings"][0]["doubt"], "");
  EXPECT_EQ(result["findings"][0]["shown"], 3);
  EXPECT_THAT(result["failures"], IsEmpty());
}

TEST_F(ClientNativeThreads, ADeadlockSaysWhoHoldsWhat) {
  const Ended ended = run({"--runs", "60"}, command("two_locks"));
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("where thread 2 (it holds what thread 1 waits for) waits"));
  EXPECT_THAT(ended.out, HasSubstr("where thread 1 (it holds what thread 2 waits for) waits"));
}

}  // namespace
}  // namespace harness
