// SPDX-License-Identifier: Apache-2.0
// The quota of a history: the order in which files are removed, and files that are always kept.
#include "harness/nightly/quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "harness/cli/tests/toys_child.h"
#include "harness/nightly/tests/nightly_stage.h"
#include "harness/nightly/transfer.h"

namespace harness {
namespace {

using nightly::Dropped;
using nightly::History;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Three nights: the first saw a, b and c, the second b, and the third d. Files of all are in
/// findings/, those of a being the oldest, each of 10 000 bytes, as are the reproducers.
class QuotaTest : public ::testing::Test {
 protected:
  QuotaTest() : history_(folder_.path()) {
    merge(1, {"a", "b", "c"});
    merge(2, {"b"});
    merge(3, {"d"});
    fs::create_directories(folder_ / "findings");
    int hours = 100;
    for (const char* name : {"a", "b", "c", "d"})
      for (const char* ending : {".repro", ".repro.html"}) {
        const fs::path file = folder_ / ("findings/borrow-" + std::string(name) + ending);
        write_file(file, std::string(kBytes, 'x'));
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours--));
      }
    write_file(folder_ / "findings/note.txt", "someone's");
  }

  void merge(std::uint64_t number, const Words& found) {
    nightly::ShardRecord shard =
        testing::hand_made_shard(testing::hand_made_plan(1, number), 1, found);
    for (nightly::FindingRecord& finding : shard.cells.back().findings)
      finding.reproducer = finding.signature + std::string(kBytes, 'r');
    history_.merge({testing::leave_shard(folder_ / ("shards-" + std::to_string(number)), shard)});
  }

  std::string cause_of(const std::string& signature) {
    return testing::hand_made_finding(testing::hand_made_plan(1).cells[1], signature, "").cause;
  }
  void mark(const std::string& signature, const std::string& state, std::uint64_t nights = 0) {
    ASSERT_TRUE(history_.mark(cause_of(signature), state, "why", nights));
  }
  bool has_reproducer(const std::string& signature) {
    return !history_.reproducer(cause_of(signature)).value().empty();
  }

  /// Returns the names below findings/.
  Words files() const {
    Words names;
    for (const auto& entry : fs::directory_iterator(folder_ / "findings"))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::uint64_t size() { return keep(~std::uint64_t{0}).bytes_left; }
  Dropped keep(std::uint64_t limit) {
    return nightly::keep_within(history_, folder_.path(), limit);
  }

  static constexpr std::size_t kBytes = 10'000;
  Folder folder_;
  History history_;
};

TEST_F(QuotaTest, FilesWithinTheQuotaAreKept) {
  const Dropped dropped = keep(size());
  EXPECT_EQ(dropped.files + dropped.reproducers, 0u);
  EXPECT_EQ(keep(0).files, 0u) << "0 is no limit";
  EXPECT_EQ(files().size(), 9u);
}

TEST_F(QuotaTest, OldPagesAreRemovedFirstAndNoMoreThanNeeded) {
  const std::uint64_t before = size();
  EXPECT_EQ(keep(before - 1).files, 1u);
  EXPECT_THAT(files(), ::testing::Not(::testing::Contains("borrow-a.repro.html")));
  const Dropped dropped = keep(before - 3 * kBytes);
  EXPECT_EQ(dropped.files, 2u);
  EXPECT_EQ(dropped.bytes_left, before - 3 * kBytes);
  EXPECT_THAT(files(), ElementsAre("borrow-a.repro", "borrow-b.repro", "borrow-c.repro",
                                   "borrow-d.repro", "borrow-d.repro.html", "note.txt"));
  EXPECT_EQ(keep(before - 4 * kBytes).files, 1u);
  EXPECT_THAT(files(), ElementsAre("borrow-b.repro", "borrow-c.repro", "borrow-d.repro",
                                   "borrow-d.repro.html", "note.txt"));
}

TEST_F(QuotaTest, ReproducersOfOpenFindingsAreNeverRemoved) {
  mark("b", "fixed");
  mark("c", "ignored");
  mark("a", "ignored", 3);
  const std::uint64_t before = size();
  Dropped dropped = keep(before - 6 * kBytes);
  EXPECT_EQ(dropped.reproducers, 0u) << "files were enough";
  dropped = keep(before - 6 * kBytes - 1);
  EXPECT_EQ(dropped.reproducers, 1u);
  EXPECT_FALSE(has_reproducer("c")) << "seen longest ago";
  EXPECT_TRUE(has_reproducer("b"));
  EXPECT_LT(dropped.bytes_left, before - 6 * kBytes) << "the room is given back";
  dropped = keep(1);
  EXPECT_EQ(dropped.reproducers, 1u);
  EXPECT_GT(dropped.bytes_left, 1u);
  EXPECT_FALSE(has_reproducer("b"));
  EXPECT_TRUE(has_reproducer("a")) << "ignored for some nights only";
  EXPECT_TRUE(has_reproducer("d")) << "open";
  EXPECT_THAT(files(), ElementsAre("borrow-d.repro", "borrow-d.repro.html", "note.txt"))
      << "news of the last night";
}

TEST_F(QuotaTest, KnownOpenFindingsKeepTheirReproducers) {
  EXPECT_EQ(keep(1).reproducers, 0u);
  mark("a", "open");
  EXPECT_EQ(keep(1).reproducers, 0u);
}

TEST_F(QuotaTest, AReappearingFindingGetsItsReproducerBack) {
  mark("c", "fixed");
  keep(1);
  ASSERT_FALSE(has_reproducer("c"));
  merge(4, {"c"});
  EXPECT_TRUE(has_reproducer("c"));
  EXPECT_EQ(keep(1).reproducers, 0u) << "it has regressed";
}

TEST(CliNightlyQuota, IsAppliedAndReported) {
  const Folder folder;
  const Words night{"nightly", "--runs",     "300",       "--seed",          "3",
                    "--only",  "toy/borrow", "--history", folder / "history"};
  using testing::run_toys;
  const auto with = [&](const Words& more) {
    Words words = night;
    words.insert(words.end(), more.begin(), more.end());
    return run_toys(words);
  };
  EXPECT_EQ(with({}).err, "");
  const Ended over = with({"--keep", "1K"});
  EXPECT_EQ(over.code, 0) << "the night is as it is";
  EXPECT_THAT(over.err, HasSubstr("old files of findings"));
  EXPECT_THAT(over.err, HasSubstr("over --keep 0.0 MiB"));
  EXPECT_EQ(with({"--keep", "0"}).err, "");
  EXPECT_EQ(with({"--keep", "3GiB"}).err, "");
  for (const char* size : {"", "x", "2X", "2Gi", "-1", "2 G", "99999999999T", "1.5G"}) {
    const Ended refused = with({"--keep", size});
    EXPECT_EQ(refused.code, 3) << size;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
}

}  // namespace
}  // namespace harness
