// Threads of a program in C++ take turns: what few of their schedules show is found, replays, and
// is not there where the program is right.
#include <chrono>
#include <set>
#include <string>

#include "harness/tests/run_stage.h"

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

/// What a mistake shows: a fault of the driver's, a deadlock, or a program that aborts.
struct Mistake {
  const char* name;
  const char* signature;
};

class ClientNativeMistakes : public ClientNativeThreads,
                             public ::testing::WithParamInterface<Mistake> {};

TEST_P(ClientNativeMistakes, AreFoundFromSeveralSeedsAndReplay) {
  for (const char* seed : {"1", "2", "3"}) {
    const auto begin = std::chrono::steady_clock::now();
    const json result = found({"--seconds", "20", "--runs", "400", "--seed", seed},
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
  const json result = found({"--runs", "300"}, command(GetParam().name, true), 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

constexpr Mistake kMistakes[] = {{"publication", "use_after_free"},
                                 {"stop_token", "use_after_free"},
                                 {"reference", "SIGABRT"},
                                 {"local_destructor", "SIGABRT"},
                                 {"swapped", "use_after_free"},
                                 {"asleep", "use_after_free"},
                                 {"lost_wakeup", "deadlock"},
                                 {"condition", "SIGABRT"},
                                 {"notified_one", "deadlock"},
                                 {"two_locks", "deadlock"},
                                 {"checked_twice", "SIGABRT"},
                                 {"aba", "SIGABRT"},
                                 {"latched", "SIGABRT"},
                                 {"tried", "SIGABRT"},
                                 {"flag_first", "SIGABRT"},
                                 {"one_barrier", "SIGABRT"},
                                 {"upgraded", "SIGABRT"},
                                 {"task", "SIGABRT"}};

INSTANTIATE_TEST_SUITE_P(All, ClientNativeMistakes, ::testing::ValuesIn(kMistakes),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace harness
