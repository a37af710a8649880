// SPDX-License-Identifier: Apache-2.0
// Shards, exports and histories from untrusted sources: invalid ones are refused as a whole, in one
// line.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/nightly/history.h"
#include "harness/nightly/schema.h"
#include "harness/nightly/sealed.h"
#include "harness/nightly/tests/nightly_stage.h"
#include "harness/nightly/transfer.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using nightly::Database;
using nightly::History;
using nlohmann::json;
using ::testing::ElementsAre;
using testing::hand_made_plan;
using testing::hand_made_shard;
using ::testing::HasSubstr;
using testing::import_text;
using testing::leave_shard;

constexpr const char* kCommand = "{\n \"afterlife\": \"run 1\",\n \"command\": [\"/bin/true\"]\n}";

template <class Action>
std::string error_of(Action action) {
  try {
    action();
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// A shard with one finding, whose seal is made again after each change.
class ForeignShard : public ::testing::Test {
 protected:
  using Change = std::function<void(json& shard, json& cell, json& finding)>;

  ForeignShard()
      : shard_(leave_shard(folder_ / "night", hand_made_shard(hand_made_plan(1), 1, {"a"}))) {}

  std::string merged_after(const Change& change) const {
    const std::string file = shard_ + "/shard.json", before = read_file(file);
    json shard = nightly::opened("shard", before, file);
    json& cell = shard["cells"].back();
    change(shard, cell, cell["findings"][0]);
    write_file(file, nightly::sealed("shard", shard));
    const Folder place;
    History history(place / "history");
    const nightly::Merged merged = history.merge({shard_});
    write_file(file, before);
    EXPECT_EQ(merged.errors.size() + merged.added, 1u);
    EXPECT_EQ(error_of([&] { History again(place / "history"); }), "") << "what was merged opens";
    return merged.errors.empty() ? "" : merged.errors.front();
  }
  std::string place() const { return shard_; }
  std::string outside(const std::string& name) const { return folder_ / name; }

 private:
  Folder folder_;
  std::string shard_;
};

TEST_F(ForeignShard, HoldsOnlyPlainNamesAndIds) {
  EXPECT_EQ(merged_after([](json&, json&, json&) {}), "");
  const std::pair<const char*, const char*> wrong[] = {
      {"cause", "../../../x"}, {"cause", ""},           {"hazard", "a/b"},
      {"file", "../../x"},     {"file", "/etc/passwd"}, {"file", "cell/../../x"}};
  for (const auto& [key, text] : wrong) {
    const std::string said =
        merged_after([&](json&, json&, json& finding) { finding[key] = text; });
    EXPECT_THAT(said,
                ::testing::AnyOf(HasSubstr("which is not a plain name"), HasSubstr("is not an id")))
        << key << " " << text;
    EXPECT_EQ(said.find('\n'), said.npos);
  }
  for (const char* key : {"path", "variant", "build"})
    EXPECT_THAT(merged_after([&](json&, json& cell, json&) { cell[key] = "../.."; }),
                HasSubstr("is '../..', which is not a plain name"));
  for (const char* target : {"../..", "a/b/c", "t\x1b[31m"})
    EXPECT_THAT(merged_after([&](json& shard, json&, json&) { shard["target"] = target; }),
                HasSubstr("which is neither a path nor a variant"));
  EXPECT_THAT(merged_after([](json& shard, json&, json&) { shard["night"] = "../x"; }),
              HasSubstr("shard.json: a night is '../x', which is not an id"));
  EXPECT_THAT(
      merged_after([](json& shard, json&, json&) { shard["revision"] = "--upload-pack=x"; }),
      HasSubstr("a revision is '--upload-pack=x', which is not a revision"));
}

TEST_F(ForeignShard, HasCountsThatANightAllows) {
  for (const json& count :
       {json(-1), json(1.5), json(~std::uint64_t{0}), json(std::int64_t{1} << 60)}) {
    EXPECT_THAT(merged_after([&](json&, json& cell, json&) { cell["runs"] = count; }),
                HasSubstr("a count is " + count.dump()));
    EXPECT_THAT(merged_after([&](json& shard, json&, json&) { shard["ended_at"] = count; }),
                HasSubstr("a count is " + count.dump()));
  }
}

TEST_F(ForeignShard, HoldsNoCommandAsAReproducer) {
  const std::string file = place() + "/cell/borrow-a.repro", before = read_file(file);
  write_file(file, kCommand);
  const std::string said = merged_after([](json&, json&, json& finding) {
    finding["hash"] = fmt::format("{:016x}", hash_name(kCommand));
  });
  EXPECT_THAT(said, HasSubstr("borrow-a.repro: is a finding of `afterlife run`, not a reproducer"));
  write_file(file, before);
}

TEST_F(ForeignShard, IsReadOnlyFromItsOwnFolder) {
  const std::string file = place() + "/cell/borrow-a.repro", text = read_file(file);
  write_file(outside("kept"), text);
  fs::remove(file);
  for (const std::string& target : {outside("kept"), std::string("/dev/zero")}) {
    fs::create_symlink(target, file);
    EXPECT_THAT(merged_after([](json&, json&, json&) {}), HasSubstr("is a symbolic link"));
    fs::remove(file);
  }
  write_file(file, text);
  fs::rename(place(), outside("moved"));
  fs::create_directory_symlink(outside("moved"), place());
  EXPECT_THAT(error_of([&] { nightly::find_shards({outside("night")}); }),
              HasSubstr("is a symbolic link"));
  EXPECT_THAT(nightly::find_shards({place()}), ElementsAre(place())) << "the user named it";
}

/// A history with one finding, and the rows that it exports.
class ForeignHistory : public ::testing::Test {
 protected:
  ForeignHistory() {
    History history(folder());
    history.merge({leave_shard(folder_ / "night", hand_made_shard(hand_made_plan(1), 1, {"a"}))});
    nightly::export_history(history.database(), [&](const std::string& line) { text_ += line; });
  }

  std::string folder() const { return folder_ / "history"; }
  std::string file() const { return folder() + "/history.sqlite"; }
  const std::string& text() const { return text_; }
  /// Returns why the history cannot be opened once something has changed it.
  std::string opened_after(const std::string& statements) const {
    const Folder place;
    fs::copy(folder(), place / "history");
    Database(place / "history/history.sqlite").run("PRAGMA foreign_keys = OFF; " + statements);
    return error_of([&] { History history(place / "history"); });
  }
  /// Replaces a text in the export. Returns the error of its import.
  std::string imported_with(const std::string& before, const std::string& after) const {
    const std::size_t at = text_.find(before);
    EXPECT_NE(at, text_.npos) << before;
    std::string changed = text_;
    changed.replace(at, before.size(), after);
    const Folder place;
    const std::string said = error_of([&] { import_text(changed, place / "history"); });
    EXPECT_EQ(fs::exists(place / "history/history.sqlite"), said.empty());
    return said;
  }

 private:
  Folder folder_;
  std::string text_;
};

TEST_F(ForeignHistory, HoldsOnlyPlainNamesAndIds) {
  EXPECT_EQ(opened_after("SELECT 1"), "");
  const std::pair<const char*, const char*> wrong[] = {
      {"UPDATE findings SET file = '../../x.repro'", "'findings' whose 'file' does not fit"},
      {"UPDATE findings SET file = '/tmp/x.repro'", "not a plain name of a reproducer"},
      {"UPDATE findings SET file = 'x.sh'", "not a plain name of a reproducer"},
      {"UPDATE findings SET cause = '../../x'", "it is '../../x', which is not an id"},
      {"UPDATE findings SET path = '..'", "'findings' whose 'path' does not fit"},
      {"UPDATE cells SET variant = 'a' || char(27) || '[31m' WHERE variant = 'borrow'",
       "'a\\x1b[31m', which is not a plain name"},
      {"UPDATE nights SET target = '../..'", "'nights' whose 'target' does not fit"},
      {"UPDATE nights SET seed = 'stoull'", "it is 'stoull', which is not a number"},
      {"UPDATE cells SET claim = char(27)", "'cells' whose 'claim' does not fit"},
      {"UPDATE findings SET kind = char(27)", "'findings' whose 'kind' does not fit"},
      {"UPDATE cells SET runs = -1", "it is -1, which is not a count"},
      {"UPDATE findings SET reproducer = '{\"afterlife\": \"run 1\"}'",
       "a finding of `afterlife run`"},
      {"DELETE FROM nights", "that refers to none"}};
  for (const auto& [statement, why] : wrong) {
    const std::string said = opened_after(statement);
    EXPECT_THAT(said, HasSubstr(why)) << statement;
    EXPECT_THAT(said, HasSubstr("history.sqlite: has a row of ")) << statement;
  }
}

TEST_F(ForeignHistory, HasOnlyTheTablesOfItsVersion) {
  for (const char* statement :
       {"CREATE TRIGGER t AFTER INSERT ON nights BEGIN UPDATE findings SET file = '../x'; END",
        "CREATE VIEW v AS SELECT 1", "CREATE TABLE more (a)", "DROP TABLE inputs",
        "DROP TABLE marks; CREATE VIEW marks AS SELECT * FROM roots",
        "ALTER TABLE cells ADD COLUMN more INTEGER"})
    EXPECT_THAT(opened_after(statement), HasSubstr("does not have the tables of a history"))
        << statement;
}

TEST_F(ForeignHistory, IsNotReadThroughALink) {
  const Folder place;
  fs::create_directories(place / "history");
  fs::create_symlink(file(), place / "history/history.sqlite");
  EXPECT_THAT(error_of([&] { History history(place / "history"); }),
              HasSubstr("is a symbolic link"));
  fs::copy(folder(), place / "other");
  fs::create_directory_symlink(place.path(), place / "other/findings");
  EXPECT_THAT(error_of([&] { History history(place / "other"); }),
              HasSubstr("findings: is a symbolic link"));
  fs::create_directory_symlink(folder(), place / "mine");
  EXPECT_EQ(error_of([&] { History history(place / "mine"); }), "") << "the user named it";
}

TEST_F(ForeignHistory, IsImportedWholeOrNotAtAll) {
  EXPECT_EQ(imported_with("\"stale\"", "\"stale\""), "");
  EXPECT_THAT(imported_with("borrow-a.repro", "../borrow-a.repro"),
              HasSubstr("has a row of 'findings' whose 'file' does not fit"));
  EXPECT_THAT(imported_with("reproducer of shard", "{\\\"afterlife\\\": \\\"run 1\\\"}"),
              HasSubstr("it is a finding of `afterlife run`, not a reproducer"));
  EXPECT_THAT(imported_with("\"runs\":", "\"runs\":-"), HasSubstr("which is not a count"));
  EXPECT_THAT(imported_with("\"target\":\"toy\"", "\"target\":\"\\u001b[31m\""),
              HasSubstr("file: line 3 has a row of 'nights' whose 'target' does not fit"));
}

}  // namespace
}  // namespace harness
