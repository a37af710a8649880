// SPDX-License-Identifier: Apache-2.0
// A crew: runs that continue at once, each in a separate process. The programs here are lines of a
// shell, which call no driver.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "harness/base/tests/child.h"
#include "harness/client/outside/crew.h"

namespace harness::client {
namespace {

const std::atomic<bool> kGoOn{false};

class ClientCrew : public ::testing::Test {
 protected:
  /// A client of these lines, which begin in a folder of the test's own. The shell is told the seed
  /// of its orders.
  Client shell(const std::string& lines, double timeout_seconds = 60) const {
    const std::string begin = "cd " + folder_.path().string() +
                              "; seed=$(sed 's/.*\"seed\":\\([0-9]*\\).*/\\1/' "
                              "\"$AFTERLIFE_RUN/orders.json\");\n";
    return {{"sh", "-c", begin + lines}, folder_.path().string(), timeout_seconds};
  }
  /// Waits until a run has made the file.
  void wait_for(const std::string& file) const {
    while (!std::filesystem::exists(folder_ / file)) std::this_thread::yield();
  }

  Folder folder_;
};

Orders seeded(std::uint64_t seed) {
  Orders orders;
  orders.seed = seed;
  return orders;
}

/// Each run waits for the other one.
constexpr const char* kMeet =
    "touch here$seed; until test -e here1 && test -e here2; do sleep 0.01; done";

TEST_F(ClientCrew, AsManyRunsGoOnAtOnceAsThereAreHands) {
  const Client client = shell(kMeet);
  Crew crew(client, kGoOn, 2);
  std::future<ClientRun> first = crew.begin(seeded(1));
  std::future<ClientRun> second = crew.begin(seeded(2));
  EXPECT_EQ(first.get().ended.code, 0);
  EXPECT_EQ(second.get().ended.code, 0);
}

TEST_F(ClientCrew, OfOneRunsGoOnOneAfterAnother) {
  const Client client = shell(kMeet, 3);
  Crew crew(client, kGoOn, 1);
  std::future<ClientRun> first = crew.begin(seeded(1));
  std::future<ClientRun> second = crew.begin(seeded(2));
  EXPECT_TRUE(first.get().ended.timed_out) << "the second had begun";
  EXPECT_EQ(second.get().ended.code, 0);
}

TEST_F(ClientCrew, ARunThatIsWaitedForGoesAheadOfThoseThatHaveNotBegun) {
  const Client client =
      shell("echo $seed >> order; test $seed != 1 || until test -e go; do sleep 0.01; done");
  Crew crew(client, kGoOn, 1);
  std::future<ClientRun> first = crew.begin(seeded(1));
  wait_for("order");
  std::future<ClientRun> second = crew.begin(seeded(2));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));  // run() has asked by then.
    write_file(folder_ / "go", "");
  });
  crew.run(seeded(3));
  opener.join();
  second.get();
  EXPECT_EQ(read_file(folder_ / "order"), "1\n3\n2\n");
}

TEST_F(ClientCrew, AProgramThatAsksNothingIsForkedNoLongerAndRunsOnItsOwn) {
  const Client client = shell("exit 7");
  Crew crew(client, kGoOn, 2);
  EXPECT_FALSE(crew.is_forking());
  crew.begin_forking({});
  EXPECT_TRUE(crew.is_forking());
  std::future<ClientRun> first = crew.begin(seeded(1));
  std::future<ClientRun> second = crew.begin(seeded(2));
  for (std::future<ClientRun>* run : {&first, &second}) {
    const ClientRun ended = run->get();
    EXPECT_EQ(ended.ended.code, 7);
    EXPECT_FALSE(ended.is_forked);
  }
  EXPECT_FALSE(crew.is_forking());
  EXPECT_EQ(crew.refusal(), "it ended without a choice");
}

TEST_F(ClientCrew, TheFirstReasonNotToForkStays) {
  const Client client = shell("exit 0");
  Crew crew(client, kGoOn, 1);
  crew.begin_forking({});
  crew.end_forking("one reason");
  crew.end_forking("another");
  EXPECT_EQ(crew.refusal(), "one reason");
}

TEST_F(ClientCrew, AProgramThatCannotBeStartedIsTheErrorOfWhoeverAsked) {
  const Client client{{folder_ / "none"}, folder_.path().string()};
  Crew crew(client, kGoOn, 2);
  std::future<ClientRun> run = crew.begin(seeded(1));
  EXPECT_THROW(run.get(), std::runtime_error);
  EXPECT_THROW(crew.run(seeded(2)), std::runtime_error) << "its hands go on";
}

TEST_F(ClientCrew, WhatHasNotBegunWhenItEndsNeverDoes) {
  {
    const Client client = shell("touch ran$seed; sleep 0.3");
    Crew crew(client, kGoOn, 1);
    std::future<ClientRun> first = crew.begin(seeded(1));
    std::future<ClientRun> second = crew.begin(seeded(2));
    wait_for("ran1");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran2"));
}

}  // namespace
}  // namespace harness::client
