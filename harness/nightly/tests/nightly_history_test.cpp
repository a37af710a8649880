// SPDX-License-Identifier: Apache-2.0
// The history of nights: merging, states, versions, and damaged files.
#include "harness/nightly/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "harness/nightly/schema.h"
#include "harness/nightly/tests/nightly_stage.h"
#include "harness/nightly/transfer.h"

namespace harness {
namespace {

using nightly::Database;
using nightly::History;
using nightly::Merged;
using nightly::Night;
using nightly::State;
using ::testing::ElementsAre;
using testing::hand_made_plan;
using testing::hand_made_shard;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::leave_shard;
using ::testing::Not;
using ::testing::SizeIs;

using Words = std::vector<std::string>;

std::string exported(Database& database) {
  std::string text;
  nightly::export_history(database, [&](const std::string& line) { text += line; });
  return text;
}

std::string exported(const std::string& folder) {
  History history(folder);
  return exported(history.database());
}

/// Expects an error of one line with `why` in it.
template <class Action>
void expect_error(Action action, const std::string& why) {
  try {
    action();
    ADD_FAILURE() << "nothing was wrong, not: " << why;
  } catch (const std::runtime_error& error) {
    const std::string line = error.what();
    EXPECT_THAT(line, HasSubstr(why));
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
}

// ---- merging ----

/// Four shards; some found the same, with reproducers of other lengths.
Words leave_four(const Folder& folder) {
  const nightly::Plan plan = hand_made_plan(4);
  const std::vector<Words> found{{"a", "b"}, {"b"}, {}, {"c", "b"}};
  Words folders;
  for (std::size_t i = 0; i < 4; ++i)
    folders.push_back(leave_shard(folder / "night", hand_made_shard(plan, i + 1, found[i])));
  return folders;
}

TEST(NightlyHistory, MergingIsIdempotentAndOrderIndependent) {
  const Folder folder;
  Words shards = leave_four(folder);
  std::string expected;
  int count = 0;
  do {
    const std::string place = folder / std::to_string(++count);
    {
      History history(place);
      EXPECT_EQ(history.merge(shards).added, 4u);
      EXPECT_EQ(history.merge(shards).known, 4u);
    }
    const std::string text = exported(place);
    if (expected.empty()) expected = text;
    ASSERT_EQ(text, expected);
  } while (std::next_permutation(shards.begin(), shards.end()));
  EXPECT_EQ(count, 24);
  {
    History one_by_one(folder / "one by one");
    for (const std::size_t i : {2, 0, 2, 3, 1, 0})
      EXPECT_THAT(one_by_one.merge({shards[i], shards[i]}).errors, IsEmpty());
  }
  EXPECT_EQ(exported(folder / "one by one"), expected);
  EXPECT_THAT(expected, HasSubstr("reproducer of shard i\\n")) << "the shortest stays";
}

TEST(NightlyHistory, ACauseDoesNotDependOnTheFirstSignature) {
  const Folder folder;
  const nightly::Plan plan = hand_made_plan(3);
  Words shards;
  for (const char* signature : {"c", "a", "b"}) {
    nightly::ShardRecord shard = hand_made_shard(plan, shards.size() + 1, {signature});
    nightly::FindingRecord& finding = shard.cells.back().findings.at(0);
    finding.cause = "0123456789abcdef";
    finding.reproducer = "equally long\n";
    shards.push_back(leave_shard(folder / "night", shard));
  }
  std::set<std::string> texts;
  int count = 0;
  std::sort(shards.begin(), shards.end());
  do {
    History history(folder / std::to_string(++count));
    for (const std::string& shard : shards) history.merge({shard});
    texts.insert(exported(history.database()));
    EXPECT_EQ(history.night(history.last_night()).findings.at(0).signature, "a");
  } while (std::next_permutation(shards.begin(), shards.end()));
  EXPECT_THAT(texts, SizeIs(1));
}

TEST(NightlyHistory, ANightIsTheSumOfItsShardsEachOnce) {
  const Folder folder;
  const Words shards = leave_four(folder);
  History history(folder / "history");
  history.merge(shards);
  history.merge({shards[0]});
  const Night night = history.night(history.last_night());
  EXPECT_EQ(night.terms, hand_made_plan(4).terms);
  EXPECT_EQ(night.shards_here, 4u);
  ASSERT_THAT(night.cells, SizeIs(2));
  EXPECT_EQ(night.cells[0].variant, "borrow");
  EXPECT_EQ(night.cells[0].runs, 200u);
  EXPECT_EQ(night.cells[0].caught_runs, 15u);
  EXPECT_EQ(night.cells[0].verdict(), "caught");
  EXPECT_EQ(night.cells[1].runs, 800u);
  EXPECT_EQ(night.cells[1].seconds, 4);
  EXPECT_EQ(night.cells[1].verdict(), "held");
  ASSERT_THAT(night.windows, SizeIs(2));
  EXPECT_EQ(night.windows[1].reached, 72u);
  ASSERT_THAT(night.findings, SizeIs(3));
  EXPECT_EQ(night.findings[1].signature, "b");
  EXPECT_EQ(night.findings[1].runs, 9u);
  EXPECT_FALSE(night.is_red()) << "all of it is in a canary, which is there to fail";
}

TEST(NightlyHistory, AShardRunTwiceCountsOnce) {
  const Folder folder;
  const nightly::Plan plan = hand_made_plan(1);
  const std::string slow = leave_shard(folder / "slow", hand_made_shard(plan, 1, {"a"}, 9));
  const std::string quick = leave_shard(folder / "quick", hand_made_shard(plan, 1, {"a"}, 2));
  Words texts;
  for (const Words& order : {Words{slow, quick}, Words{quick, slow}}) {
    const Folder place;
    History history(place.path());
    EXPECT_EQ(history.merge(order).added, 1u);
    EXPECT_EQ(history.night(history.last_night()).cells[0].runs, 200u);
    texts.push_back(exported(history.database()));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(NightlyHistory, AShardWithAnotherResultIsRefusedAndChangesNothing) {
  const Folder folder;
  const nightly::Plan plan = hand_made_plan(1);
  History history(folder / "history");
  history.merge({leave_shard(folder / "a", hand_made_shard(plan, 1, {"a"}))});
  const std::string before = exported(history.database());
  const Merged merged = history.merge({leave_shard(folder / "b", hand_made_shard(plan, 1, {"b"}))});
  EXPECT_EQ(merged.added + merged.known, 0u);
  EXPECT_THAT(merged.errors, ElementsAre(HasSubstr("is in the history with a different result")));
  EXPECT_EQ(exported(history.database()), before);
}

TEST(NightlyHistory, ADamagedShardDoesNotBlockOthers) {
  const Folder folder;
  const Words shards = leave_four(folder);
  const std::string file = shards[1] + "/shard.json", text = read_file(file);
  write_file(file, text.substr(0, text.size() / 2));
  History history(folder / "history");
  const Merged merged = history.merge(shards);
  EXPECT_EQ(merged.added, 3u);
  EXPECT_THAT(merged.errors, ElementsAre(HasSubstr("shard-2-of-4/shard.json: is damaged")));
  EXPECT_EQ(history.night(history.last_night()).shards_here, 3u);
  EXPECT_FALSE(history.has_all(history.last_night(), 4));
  write_file(file, text);
  EXPECT_EQ(history.merge(shards).added, 1u);
  EXPECT_TRUE(history.has_all(history.last_night(), 4));
}

// ---- states ----

TEST(NightlyState, IsAFunctionOfTheNightsAndMarks) {
  using nightly::Mark;
  using nightly::state_of;
  const std::optional<Mark> none, fixed = Mark{"fixed", 2, 0}, ignored = Mark{"ignored", 2, 4},
                                  for_good = Mark{"ignored", 2, 0}, open = Mark{"open", 2, 0};
  EXPECT_EQ(state_of(1, {1}, none), State::fresh);
  EXPECT_EQ(state_of(2, {1, 2}, none), State::known);
  EXPECT_EQ(state_of(2, {1}, none), State::known);
  EXPECT_EQ(state_of(3, {1}, fixed), State::fixed);
  EXPECT_EQ(state_of(3, {1, 3}, fixed), State::regressed);
  EXPECT_EQ(state_of(4, {1, 3, 4}, fixed), State::known);
  EXPECT_EQ(state_of(4, {1, 4}, ignored), State::ignored);
  EXPECT_EQ(state_of(5, {1, 5}, ignored), State::known);
  EXPECT_EQ(state_of(99, {1, 99}, for_good), State::ignored);
  EXPECT_EQ(state_of(3, {1, 3}, open), State::known);
}

TEST(NightlyHistory, AFindingIsNewThenKnownThenFixedThenRegressed) {
  const Folder folder;
  History history(folder / "history");
  const auto state_in = [&](std::uint64_t number, const Words& found) {
    const auto shard = hand_made_shard(hand_made_plan(1, number), 1, found);
    history.merge({leave_shard(folder / std::to_string(number), shard)});
    const Night night = history.night(shard.night);
    EXPECT_EQ(night.terms.number, number);
    return night.findings.empty() ? "none" : std::string(to_text(night.findings[0].state));
  };
  EXPECT_EQ(history.next_number(), 1u);
  EXPECT_EQ(state_in(1, {"a"}), "new");
  EXPECT_EQ(state_in(2, {"a"}), "known");
  const std::string cause = history.night(history.last_night()).findings[0].cause;
  EXPECT_FALSE(history.mark("nosuch", "fixed", "why", 0));
  EXPECT_TRUE(history.mark(cause, "fixed", "an event is kept", 0));
  EXPECT_EQ(state_in(3, {}), "none");
  EXPECT_EQ(state_in(4, {"a"}), "regressed");
  EXPECT_EQ(state_in(5, {"a"}), "known");
  EXPECT_TRUE(history.mark(cause, "ignored", "a known limit", 1));
  EXPECT_EQ(state_in(6, {"a"}), "ignored");
  EXPECT_FALSE(history.night(history.last_night()).is_red());
  EXPECT_EQ(state_in(7, {"a"}), "known");
  EXPECT_EQ(history.next_number(), 8u);
  EXPECT_EQ(history.reproducer(cause), "reproducer of shard i\n");
}

TEST(NightlyHistory, StatesDoNotDependOnTheMergeOrderOfNights) {
  const Folder folder;
  Words nights;
  for (const std::uint64_t number : {1, 2, 3})
    nights.push_back(leave_shard(folder / std::to_string(number),
                                 hand_made_shard(hand_made_plan(1, number), 1, {"a"})));
  History forward(folder / "forward"), backward(folder / "backward");
  forward.merge(nights);
  std::reverse(nights.begin(), nights.end());
  for (const std::string& night : nights) backward.merge({night});
  EXPECT_EQ(exported(forward.database()), exported(backward.database()));
  EXPECT_EQ(backward.night(backward.last_night()).findings[0].state, State::known);
}

TEST(NightlyNight, AnUncaughtCanaryFailsAfterEnoughRuns) {
  Night night;
  night.cells = {{"toy", "borrow", "unsound", nightly::kRunsToCatch, 0, 9, 9, 500}};
  EXPECT_FALSE(night.is_red());
  night.cells[0].caught_runs = 0;
  EXPECT_TRUE(night.is_red()) << "it failed, and not as it claims";
  EXPECT_EQ(night.cells[0].verdict(), "missed");
  --night.cells[0].runs;
  EXPECT_EQ(night.cells[0].verdict(), "too few runs");
  EXPECT_FALSE(night.is_red());
}

// ---- versions ----

/// Returns a value that the column accepts. References hold, because names are the same everywhere.
nightly::Value value_for(const std::string& table, const nightly::Row& column, int i) {
  const std::string place = table + "." + column.text("name"), kind = column.text("type");
  if (place == "findings.file") return "a.repro";
  if (place == "marks.state") return "fixed";
  if (place == "replays.outcome") return "gone";
  if (place == "changes.outcome") return "named";
  if (kind == "INTEGER") return std::int64_t{i};
  if (kind == "REAL") return i + 0.1;
  return "000000000000000" + std::to_string(i);  // An id, a name, a number.
}

/// Fills each table of the file with two rows that name where they stand.
void fill(Database& database) {
  for (const std::string_view name : nightly::table_names()) {
    const std::string table(name);
    const auto columns = database.query(
        "SELECT name, type FROM pragma_table_info(:table) ORDER BY cid", {{"table", table}});
    for (int i = 1; i <= 2 && !columns.empty(); ++i) {
      nightly::Fields row;
      for (const nightly::Row& column : columns)
        row.push_back({std::get<std::string>(column["name"]), value_for(table, column, i)});
      database.insert(table, row);
    }
  }
}

TEST(NightlySchema, AFileOfEveryOlderVersionKeepsItsRows) {
  for (int version = 0; version <= nightly::schema_version(); ++version) {
    SCOPED_TRACE(version);
    const Folder folder;
    std::string before;
    {
      Database database(folder / "history.sqlite");
      nightly::migrate(database, version);
      EXPECT_EQ(nightly::version_of(database), version);
      fill(database);
      for (const std::string_view table : nightly::table_names())
        if (const Words columns = database.columns(std::string(table)); !columns.empty())
          before += std::string(table) + " ";
    }
    History history(folder.path());
    EXPECT_EQ(nightly::version_of(history.database()), nightly::schema_version());
    const std::string after = exported(history.database());
    for (const std::string_view table : nightly::table_names()) {
      if (table == "changes") continue;  // It is no longer kept.
      const bool had = before.find(std::string(table) + " ") != before.npos;
      std::size_t rows = 0;
      for (std::size_t at = 0;
           (at = after.find("{\"table\":\"" + std::string(table) + "\"", at)) != after.npos; ++at)
        ++rows;
      EXPECT_EQ(rows, had ? 2u : 0u) << table;
    }
    EXPECT_EQ(history.merge(leave_four(folder)).added, 4u) << "it takes new shards";
  }
}

TEST(NightlySchema, AnExportOfEveryOlderVersionIsImported) {
  for (int version = 1; version <= nightly::schema_version(); ++version) {
    SCOPED_TRACE(version);
    const Folder folder;
    std::string text, migrated;
    {
      Database database(folder / "old.sqlite");
      nightly::migrate(database, version);
      fill(database);
      text = exported(database);
      nightly::migrate(database);
      migrated = exported(database);
    }
    EXPECT_THAT(text, ::testing::StartsWith("{\"afterlife_history\":" + std::to_string(version)));
    testing::import_text(text, folder / "new");
    EXPECT_EQ(exported(folder / "new"), migrated);
  }
}

TEST(NightlySchema, AFileOfANewerVersionIsRefusedAndUnchanged) {
  const Folder folder;
  leave_four(folder);
  {
    Database database(folder / "history.sqlite");
    nightly::migrate(database);
    database.run("PRAGMA user_version = 99");
  }
  const std::string before = read_file(folder / "history.sqlite");
  expect_error([&] { History history(folder.path()); },
               "history.sqlite: was written by a newer afterlife (version 99");
  EXPECT_EQ(read_file(folder / "history.sqlite"), before);
}

TEST(NightlySchema, AnUnrelatedDatabaseIsRefused) {
  const Folder folder;
  Database(folder / "history.sqlite").run("CREATE TABLE mine (a)");
  expect_error([&] { History history(folder.path()); }, "is a database of something else");
}

// ---- export and import ----

TEST(NightlyTransfer, AnExportIsImportedUnchanged) {
  const Folder folder;
  std::string text;
  {
    History history(folder / "one");
    history.merge(leave_four(folder));
    const std::string cause = history.night(history.last_night()).findings[0].cause;
    history.mark(cause, "ignored", "\"why\"\nnot \xc3\xa9", 3);
    text = exported(history.database());
  }
  testing::import_text(text, folder / "two");
  EXPECT_EQ(exported(folder / "two"), text);
  expect_error([&] { testing::import_text(text, folder / "two"); }, "is a history already");
}

TEST(NightlyTransfer, AnInvalidExportIsOneLineAndLeavesNothing) {
  const Folder folder;
  std::string text;
  {
    History history(folder / "one");
    history.merge(leave_four(folder));
    text = exported(history.database());
  }
  const std::string cut = text.substr(0, text.size() / 2);
  const std::string header = text.substr(0, text.find('\n') + 1);
  const std::pair<std::string, const char*> wrong[] = {
      {"", "file: line 1 is not a line of an export"},
      {"{}\n", "file: line 1 is not a line"},
      {"{\"afterlife_history\":99}\n", "file: line 1 was written by a newer afterlife"},
      {"{\"afterlife_history\":0}\n", "file: line 1 "},
      {cut, " is not a line of an export"},
      {header + "{\"table\":\"sqlite_master\",\"row\":{}}\n", "file: line 2 is of 'sqlite_master'"},
      {header + "{\"table\":\"revisions\",\"row\":{\"name\":\"a\",\"b\":1}}\n",
       "file: line 2 has other columns"},
      {header + "{\"table\":\"revisions\",\"row\":{\"name\":null}}\n", "file: line 2 has a value"},
      {header + "{\"table\":\"revisions\",\"row\":{\"name\":\"a\"}}\n" +
           "{\"table\":\"revisions\",\"row\":{\"name\":\"a\"}}\n",
       "file: line 3 "},
  };
  for (const auto& [content, why] : wrong) {
    SCOPED_TRACE(content.substr(0, 100));
    expect_error([&] { testing::import_text(content, folder / "two"); }, why);
    EXPECT_THAT(folder.files(), Not(::testing::Contains(HasSubstr("two/"))));
  }
}

// ---- damage ----

TEST(NightlyHistory, ADamagedFileIsOneLineAndUnchanged) {
  const Folder folder;
  const std::string file = folder / "history.sqlite";
  {
    History history(folder.path());
    history.merge(leave_four(folder));
  }
  const std::string whole = read_file(file);
  std::string in_the_middle = whole;
  for (std::size_t i = 4096; i < 8192; ++i) in_the_middle[i] = 'x';
  for (const std::string& text :
       {in_the_middle, whole.substr(0, whole.size() / 2),
        std::string("not a database at all, and long enough to be one")}) {
    write_file(file, text);
    expect_error([&] { History history(folder.path()); }, "history.sqlite: is damaged");
    EXPECT_EQ(read_file(file), text);
  }
}

}  // namespace
}  // namespace harness
