// SPDX-License-Identifier: Apache-2.0
// Runs in which something is forced: each is the same again, and what shows without force is
// possible.
#include <algorithm>

#include "harness/client/outside/fork_server.h"
#include "harness/client/outside/search/search.h"
#include "harness/client/outside/search/unforced.h"
#include "harness/client/tests/forced_stage.h"

namespace harness {
namespace {

using client::AskedQuestion;
using client::ClientRun;
using client::Finding;
using client::Orders;
using client::ToldDecision;
using ::testing::IsEmpty;
using testing::script;
using ::testing::SizeIs;

const std::atomic<bool> kGoOn{false};

class ClientForcedRuns : public testing::ForcedStage {};

/// All that a run came to but for what it printed.
std::string told(const ClientRun& run) {
  std::string text = std::to_string(run.ended.code);
  for (const client::Report& report : run.reports) text += "\n" + to_text(report);
  return text;
}

Orders drawn(std::uint64_t seed, bool forces) {
  Orders orders;
  orders.draws = true;
  orders.seed = seed;
  orders.forces = forces;
  return orders;
}

TEST_F(ClientForcedRuns, ARunIsTheSameForkedAloneAndReplayed) {
  for (const char* name : {"unlooked.py", "dropped_by_thread.py", "pooled.py"}) {
    const client::Client client = client_of({"python3", script(name)});
    client::ForkServer server(client, kGoOn, Orders{.tape = {}, .forces = true});
    ASSERT_THAT(server.refusal(), IsEmpty());
    int forced_runs = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const ClientRun alone = run_client(client, drawn(seed, true), kGoOn);
      EXPECT_EQ(told(*server.run(drawn(seed, true))), told(alone)) << name << ", seed " << seed;
      Orders again{.tape = {}, .forces = true};
      for (const ToldDecision& one : alone.decisions()) again.tape.push_back(one.decision);
      EXPECT_EQ(told(*server.run(again)), told(alone)) << name << ", seed " << seed;
      forced_runs += client::has_forced(again.tape);
    }
    EXPECT_GE(forced_runs, 2) << name;
  }
}

TEST_F(ClientForcedRuns, ARunInWhichNothingIsForcedIsTheRunOfTheSameSeedWithoutTheOption) {
  for (const char* name : {"collected.py", "dropped_by_thread.py"}) {
    const client::Client client = client_of({"python3", script(name)});
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const ClientRun forcing = run_client(client, drawn(seed, true), kGoOn);
      if (std::ranges::any_of(forcing.decisions(), &ToldDecision::is_forced)) continue;
      EXPECT_EQ(told(forcing), told(run_client(client, drawn(seed, false), kGoOn))) << name;
      ++compared;
    }
    EXPECT_GE(compared, 2) << name;
  }
}

ClientRun plain_run(const testing::Words& command, bool forces) {
  Orders orders;
  orders.asks = true;
  orders.forces = forces;
  return run_client({command, client::library_folder(), 60}, orders, kGoOn);
}

/// Returns how many questions of collections there were, of those that are forced, or of the
/// others.
long count_collections(const ClientRun& run, bool forced) {
  return std::ranges::count_if(run.reports.at(0).asked, [&](const AskedQuestion& question) {
    return question.site == Site::collect && client::is_forced(question.activation) == forced;
  });
}

TEST_F(ClientForcedRuns, NothingIsForcedWhereTheInterpreterHasJustLooked) {
  const auto run = [&](const std::string& count) {
    return plain_run(script_of("def act():\n"
                               "    return\n"
                               "for i in range(" +
                               count +
                               "):\n"
                               "    act()\n"),
                     true);
  };
  const ClientRun three = run("3");
  const ClientRun eight = run("8");
  EXPECT_EQ(count_collections(eight, false) - count_collections(three, false), 5 * 3);
  EXPECT_EQ(count_collections(eight, true) - count_collections(three, true), 5)
      << "neither at the beginning of the function nor where it jumps back";
}

TEST_F(ClientForcedRuns, RunsAreForkedWhereTheyWere) {
  // Calls of the driver in one line, and only then another one.
  write_file(folder_ / "script.py",
             "import ctypes; init = ctypes.CDLL('libcuda.so.1').cuInit; init(0); init(0)\n"
             "init(0); init(0)\n"
             "init(0)\n");
  const testing::Words command{"python3", folder_ / "script.py"};
  const ClientRun without = plain_run(command, false);
  const ClientRun with = plain_run(command, true);
  ASSERT_THAT(without.reports.at(0).asked, SizeIs(2)) << "two lines, whether it collects";
  EXPECT_THAT(with.reports.at(0).asked, SizeIs(2 + 2 + 3)) << "two lines and three calls more";
  EXPECT_EQ(with.reports.at(0).asked[0].activation, without.reports.at(0).asked[0].activation);
}

TEST_F(ClientForcedRuns, WhatIsAskedChangesNothingWhereItIsAnsweredPlainly) {
  // After a thousand lines another thread continues; calls that keep the lock are none.
  const testing::Words command = script_of(
      "go_on, seen = ctypes.PyDLL('libcuda.so.1').cuCtxSetCurrent, []\n"
      "def act(name):\n"
      "    for i in range(700):\n"
      "        go_on(context)\n"
      "        seen.append(name)\n"
      "threads = [threading.Thread(target=act, args=(name,)) for name in 'ab']\n"
      "for one in threads: one.start()\n"
      "for one in threads: one.join()\n"
      "print(''.join(seen))\n");
  const ClientRun with = plain_run(command, true);
  EXPECT_EQ(with.ended.out, plain_run(command, false).ended.out);
  EXPECT_NE(with.ended.out.find("ba"), with.ended.out.npos) << "they go on in turns";
  EXPECT_GT(count_collections(with, true), 100);
}

// ---- the same fault without force --------------------------------------------------------------

/// Answers as it is reported, one run after another, and by default at the beginning and the end.
class Told final : public client::Answers {
 public:
  static inline std::vector<Tape> tapes;

  bool next(Orders& orders) override {
    if (count_ > 0 && count_ <= tapes.size()) orders.tape = tapes[count_ - 1];
    ++count_;
    return count_ <= tapes.size() + 1;
  }
  void ran(const ClientRun&) override {}

 private:
  std::size_t count_ = 0;
};

constexpr client::AnswersInfo kTold{
    "told", "as a test says", false,
    [](std::uint64_t) -> std::unique_ptr<client::Answers> { return std::make_unique<Told>(); }};

class Listener final : public client::SearchWatcher {
 public:
  void plain(const ClientRun&) override {}
  void progress(const client::SearchResult&, const char*, double) override {}
  void found(const Finding& finding) override { findings.push_back(finding); }

  std::vector<Finding> findings;
};

/// Possible far ahead of the use, and again right before it, where nothing looks.
constexpr const char* kTwice =
    "is_open = True\n"
    "def end(buffer): is_open and cuda.cuMemFree_v2(buffer.address)\n"
    "buffer = None\n"
    "len('')\n"
    "is_open = False\n"
    "for i in range(20):\n"
    "    len('')\n"
    "is_open = True\n"
    "copy(target, address, 8)\n";

/// Returns a tape for each choice of a collection that shows a fault alone, of those that are
/// forced, or of the others, in the order in which they are asked.
std::vector<Tape> tapes_that_show(const client::Client& client, bool forced) {
  Orders orders;
  orders.asks = orders.forces = true;
  const ClientRun asked = run_client(client, orders, kGoOn);
  client::ForkServer server(client, kGoOn, Orders{.tape = {}, .forces = true});
  std::vector<Tape> found;
  for (const AskedQuestion& question : asked.reports.at(0).asked) {
    if (question.site != Site::collect || client::is_forced(question.activation) != forced)
      continue;
    const Orders one{.tape = {{question.activation, site_tag(Site::collect), 0, 1}},
                     .forces = true};
    if (!server.run(one)->reports.at(0).faults.empty()) found.push_back(one.tape);
  }
  EXPECT_GE(found.size(), 2u);
  return found;
}

/// Runs a search that answers by default and then by these tapes. Returns its findings as they are
/// reported.
std::vector<Finding> told_findings(const client::Client& client, const std::vector<Tape>& tapes) {
  client::SearchOptions options{.client = client, .strategy = &kTold, .suppressions = {}};
  options.forces = true;
  options.runs = tapes.size() + 1;
  Told::tapes = tapes;
  Listener listener;
  const client::SearchResult result = client::search(options, listener, kGoOn);
  EXPECT_THAT(result.findings, SizeIs(1));
  EXPECT_EQ(result.findings.at(0).run_count, tapes.size());
  EXPECT_EQ(result.findings.at(0).decisions, listener.findings.back().decisions);
  return listener.findings;
}

TEST_F(ClientForcedRuns, AForcedDecisionIsReplacedByAPossibleOneThatIsNear) {
  const client::Client client = client_of(script_of(kTwice));
  const std::vector<Finding> told = told_findings(client, {tapes_that_show(client, true).front()});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_FALSE(told[0].is_forced());
  EXPECT_THAT(told[0].decisions, SizeIs(1));
  EXPECT_THAT(told[0].forced, IsEmpty());
  EXPECT_EQ(told[0].shown_count, 3u);
}

TEST_F(ClientForcedRuns, AFindingThatWasForcedIsPossibleOnceARunShowsItWithoutForce) {
  const client::Client client = client_of(script_of(kTwice));
  const Tape forced = tapes_that_show(client, true).back();  // Far from all that is possible.
  const std::vector<Finding> told =
      told_findings(client, {forced, tapes_that_show(client, false).front(), forced});
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_TRUE(told[0].is_forced());
  EXPECT_FALSE(told[1].is_forced());
  EXPECT_THAT(told[1].forced, IsEmpty());
  EXPECT_EQ(told[1].shown_count, 3u);
}

}  // namespace
}  // namespace harness
