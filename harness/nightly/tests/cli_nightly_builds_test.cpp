// SPDX-License-Identifier: Apache-2.0
// Replays of a night's findings in other builds of the program, and missing builds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/base/tests/child.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace fs = std::filesystem;

/// A folder of builds, as `build` of a tree is one, in which the toys are the build `dev`.
class CliNightlyBuilds : public ::testing::Test {
 protected:
  CliNightlyBuilds() { add("dev"); }

  std::string program(const std::string& build) const {
    return folder_ / build + "/afterlife_toys";
  }
  /// Puts the program of this build there under another name.
  void add(const std::string& build) const {
    fs::create_directories(folder_ / build);
    fs::copy_file(fs::read_symlink("/proc/self/exe").parent_path() / "afterlife_toys",
                  program(build));
  }
  /// Puts a program there that is a script.
  void add(const std::string& build, const std::string& script) const {
    fs::create_directories(folder_ / build);
    write_file(program(build), "#!/bin/sh\n" + script);
    fs::permissions(program(build), fs::perms::owner_all);
  }

  Ended nightly(std::vector<std::string> words) const {
    words.insert(words.begin(), "nightly");
    words.insert(words.end(), {"--history", folder_ / "history"});
    return run_child(program("dev"), words);
  }
  json night() const {
    return json::parse(nightly({"--runs", "600", "--only", "toy/borrow", "--json"}).out);
  }
  static json build_of(const json& night, const std::string& name) {
    for (const json& one : night["builds"])
      if (one["build"] == name) return one;
    return {};
  }

  Folder folder_;
};

TEST_F(CliNightlyBuilds, EachFindingIsReplayedInTheOtherBuilds) {
  add("asan");
  add("release", "exit 77\n");
  const json found = night();
  const std::size_t count = found["findings"].size();
  ASSERT_GT(count, 0u);
  EXPECT_THAT(found["builds"], SizeIs(3)) << "the program's own is none";
  EXPECT_EQ(build_of(found, "asan")["as_recorded"], count);
  EXPECT_THAT(build_of(found, "asan")["otherwise"], IsEmpty());
  EXPECT_EQ(build_of(found, "asan")["why_not"], "");
  EXPECT_EQ(build_of(found, "release")["as_recorded"], 0);
  EXPECT_THAT(build_of(found, "release")["otherwise"], SizeIs(count));
  const json release = build_of(found, "release");
  for (const json& one : release["otherwise"])
    EXPECT_THAT(std::string(one["difference"]), HasSubstr("77"));
  EXPECT_EQ(build_of(found, "tsan")["as_recorded"], 0);
  EXPECT_EQ(build_of(found, "tsan")["why_not"],
            "it is not built: ./scripts/build.sh tsan afterlife_toys");
}

TEST_F(CliNightlyBuilds, ADifferingReplayIsReported) {
  add("asan", "exec '" + program("dev") +
                  "' \"$@\" | sed 's/\"difference\": *null/\"difference\": \"another trace\"/'\n");
  const json otherwise = build_of(night(), "asan")["otherwise"];
  ASSERT_THAT(otherwise, Not(IsEmpty()));
  EXPECT_EQ(otherwise[0]["difference"], "another trace");
}

TEST_F(CliNightlyBuilds, ReportsNameNoPathOfTheReplay) {
  add("asan", "exec '" + program("dev") +
                  "' \"$@\" | sed \"s|\\\"difference\\\": *null|\\\"difference\\\": \\\"$3/a: "
                  "bad\\\"|\"\n");
  const json otherwise = build_of(night(), "asan")["otherwise"];
  ASSERT_THAT(otherwise, Not(IsEmpty()));
  EXPECT_EQ(otherwise[0]["difference"], "a: bad");
}

TEST_F(CliNightlyBuilds, ThePageAndTheTableShowBuildsNotRunAndTheReason) {
  add("asan");
  night();
  const std::string page = read_file(folder_ / "history/page.html");
  EXPECT_THAT(page, HasSubstr("<h2>Other builds</h2>"));
  EXPECT_THAT(page, HasSubstr(">not built: release, tsan<"));
  EXPECT_THAT(page, HasSubstr(" as recorded"));
  const std::string report = nightly({"report"}).out;
  EXPECT_THAT(report, HasSubstr("in asan: "));
  EXPECT_THAT(report, HasSubstr("\nnot built: release, tsan\n"));
}

TEST_F(CliNightlyBuilds, AReplayInAnotherBuildEndsWithTheNight) {
  add("asan", "exec sleep 3000\n");
  const auto begin = std::chrono::steady_clock::now();
  const json found = json::parse(
      nightly({"--minutes", "0.03", "--jobs", "1", "--only", "toy/borrow", "--json"}).out);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(taken.count(), 60);
  ASSERT_THAT(found["findings"], Not(IsEmpty()));
  EXPECT_EQ(build_of(found, "asan")["why_not"], "not replayed: out of time");
  EXPECT_THAT(build_of(found, "asan")["otherwise"], IsEmpty());
  EXPECT_EQ(found["red"], false);
}

// ---- searches ----

/// Returns the report of the searches in a build.
json search_of(const json& night, const std::string& name) {
  for (const json& one : night["build_searches"])
    if (one["build"] == name) return one;
  return {};
}

json searched(const Ended& ended) {
  EXPECT_LE(ended.code, 1) << ended.err;
  return json::parse(ended.out);
}

TEST_F(CliNightlyBuilds, SoundVariantsAreSearchedInSanitizerBuildsToo) {
  add("asan");
  const json found = searched(nightly({"--runs", "2000", "--only", "toy/retain", "--json"}));
  EXPECT_EQ(search_of(found, "asan")["runs"], 50);
  EXPECT_EQ(search_of(found, "asan")["variants"], 1);
  EXPECT_EQ(search_of(found, "asan")["not_run"], 0);
  EXPECT_EQ(search_of(found, "tsan")["runs"], 0);
  EXPECT_EQ(search_of(found, "tsan")["not_run"], 1);
  EXPECT_EQ(search_of(found, "tsan")["why_not"],
            "it is not built: ./scripts/build.sh tsan afterlife_toys");
  EXPECT_EQ(found["cells"][0]["runs"], 1850);
  EXPECT_THAT(nightly({"report"}).out, HasSubstr("in asan: 1 variant searched, 50 runs\n"));
  EXPECT_THAT(read_file(folder_ / "history/page.html"),
              HasSubstr(">not built: fuzz, release, tsan<"));
}

TEST_F(CliNightlyBuilds, AFindingOfAnotherBuildBelongsToTheVariant) {
  // The other build's search alone is long enough.
  fs::create_directories(folder_ / "asan");
  write_file(program("asan"),
             "#!/bin/bash\nshift; what=$1; while [ \"$1\" != --json ]; do shift; "
             "done; exec '" +
                 program("dev") + "' fuzz $what --runs 20000 \"$@\"\n");
  fs::permissions(program("asan"), fs::perms::owner_all);
  const json found =
      searched(nightly({"--runs", "1200", "--only", "toy/rarely_unsound", "--json"}));
  ASSERT_THAT(found["findings"], Not(IsEmpty()));
  EXPECT_EQ(found["red"], true);
  EXPECT_EQ(found["findings"][0]["kind"], "fault");
  EXPECT_GT(found["findings"][0]["runs"], 0);
  EXPECT_EQ(found["cells"][0]["faulty_runs"], 0) << "its own search found nothing";
  EXPECT_NE(found["findings"][0]["repair"], "") << "repairs were tried";
  EXPECT_EQ(search_of(found, "asan")["runs"], 20000);
}

TEST_F(CliNightlyBuilds, ASanitizerReportIsAFindingWithItsCommand) {
  add("asan",
      "test $1 = fuzz || exit 2\necho 'SUMMARY: AddressSanitizer: heap-use-after-free box.cpp:7 in "
      "look' >&2\nkill -ABRT $$\n");
  const json found = searched(nightly({"--runs", "2000", "--only", "toy/retain", "--json"}));
  ASSERT_THAT(found["findings"], SizeIs(1));
  const json finding = found["findings"][0];
  EXPECT_EQ(finding["kind"], "bad end");
  EXPECT_EQ(finding["signature"], "asan: AddressSanitizer: heap-use-after-free box.cpp:7 in look");
  const std::string report = nightly({"show", finding["cause"]}).out;
  EXPECT_THAT(report, HasSubstr("\nbuild/asan/afterlife_toys fuzz toy/retain --seed "));
  EXPECT_THAT(report, HasSubstr(" --runs 50\n"));
}

// ---- libFuzzer targets ----

/// A target as libFuzzer's are called; `runs` is done where it is to search.
std::string target(const std::string& runs) {
  return "for word; do case $word in -set_cover_merge=1) merge=1 ;; -*) ;; *) folders+=($word) ;; "
         "esac; done\n"
         "if [ $merge ]; then cp ${folders[1]}/* ${folders[2]}/* ${folders[0]}; exit 0; fi\n"
         "echo \"#3 INITED cov: 1 ft: 1 corp: $(ls ${folders[1]} | wc -l)/3b\" >&2\n" +
         runs;
}

class CliNightlyTargets : public CliNightlyBuilds {
 protected:
  void add_target(const std::string& runs) const {
    fs::create_directories(folder_ / "fuzz");
    const std::string file = folder_ / "fuzz/fuzz_toy";
    write_file(file, "#!/bin/bash\nfolders=()\n" + target(runs));
    fs::permissions(file, fs::perms::owner_all);
  }
};

TEST_F(CliNightlyTargets, ACorpusIsKeptAcrossNights) {
  add_target(
      "printf a$RANDOM > ${folders[0]}/new\necho 'stat::number_of_executed_units: 47' >&2\n");
  const std::vector<std::string> words{"--runs", "2000", "--only", "toy/retain", "--json"};
  const json first = search_of(searched(nightly(words)), "fuzz");
  EXPECT_EQ(first["runs"], 47);
  EXPECT_EQ(first["inputs_given"], 0);
  const json second = search_of(searched(nightly(words)), "fuzz");
  EXPECT_EQ(second["inputs_given"], 1);
  EXPECT_EQ(second["inputs_survived"], 1);
  const json third = search_of(searched(nightly(words)), "fuzz");
  EXPECT_EQ(third["inputs_given"], 2);
  EXPECT_THAT(nightly({"report"}).out,
              HasSubstr("2 of 2 inputs of earlier nights still reach a window"));
  const Ended exported = nightly({"export"});
  write_file(folder_ / "lines", exported.out);
  EXPECT_EQ(run_child(program("dev"),
                      {"nightly", "import", folder_ / "lines", "--history", folder_ / "imported"})
                .code,
            0);
  EXPECT_EQ(run_child(program("dev"), {"nightly", "export", "--history", folder_ / "imported"}).out,
            exported.out);
}

TEST_F(CliNightlyTargets, AMissingTargetIsNotRunAndItsCorpusIsKept) {
  add_target("printf a > ${folders[0]}/new\n");
  const std::vector<std::string> words{"--runs", "2000", "--only", "toy/retain", "--json"};
  nightly(words);
  fs::remove_all(folder_ / "fuzz");
  const json second = search_of(searched(nightly(words)), "fuzz");
  EXPECT_EQ(second["not_run"], 1);
  EXPECT_EQ(second["why_not"], "it is not built: ./scripts/build.sh fuzz fuzz_toy");
  add_target("");
  EXPECT_EQ(search_of(searched(nightly(words)), "fuzz")["inputs_given"], 1);
}

TEST_F(CliNightlyTargets, ACrashIsAFindingWithThePrintedReproducer) {
  run_child(program("dev"),
            {"fuzz", "toy/rarely_unsound", "--runs", "20000", "--out", folder_ / "found"});
  std::string reproducer;
  for (const auto& entry : fs::directory_iterator(folder_ / "found"))
    if (entry.path().extension() == ".repro") reproducer = read_file(entry.path());
  ASSERT_THAT(reproducer, HasSubstr("fault use_after_free"));
  write_file(folder_ / "printed", "a story\n\n" + reproducer + "==1== ERROR: libFuzzer\n");
  add_target("cat " + (folder_ / "printed") + " >&2\nexit 77\n");
  const json found =
      searched(nightly({"--runs", "1200", "--only", "toy/rarely_unsound", "--json"}));
  ASSERT_THAT(found["findings"], SizeIs(1));
  EXPECT_EQ(found["findings"][0]["kind"], "fault");
  EXPECT_EQ(found["findings"][0]["hazard"], "stale");
  EXPECT_NE(found["findings"][0]["repair"], "");
  EXPECT_EQ(nightly({"show", found["findings"][0]["cause"]}).out, reproducer);
}

TEST_F(CliNightlyTargets, ATargetThatFailsWithoutAReproducerIsABadEnd) {
  add_target("echo 'SUMMARY: AddressSanitizer: heap-buffer-overflow' >&2\nexit 1\n");
  const json found = searched(nightly({"--runs", "2000", "--only", "toy/retain", "--json"}));
  ASSERT_THAT(found["findings"], SizeIs(1));
  EXPECT_EQ(found["findings"][0]["kind"], "bad end");
  EXPECT_THAT(nightly({"show", found["findings"][0]["cause"]}).out,
              HasSubstr("\nbuild/fuzz/fuzz_toy --variant=retain -seed="));
}

TEST_F(CliNightlyBuilds, ALaterMergeUsesTheBuildsPresentThen) {
  EXPECT_EQ(nightly({"plan", "1", "--runs", "600", "--only", "toy/borrow"}).code, 0);
  EXPECT_EQ(nightly({"shard", "1"}).code, 0);
  const json before = json::parse(nightly({"merge", "--json"}).out);
  EXPECT_THAT(std::string(build_of(before, "asan")["why_not"]), HasSubstr("not built"));
  add("asan");
  const json after = json::parse(nightly({"merge", "--json"}).out);
  EXPECT_EQ(build_of(after, "asan")["as_recorded"], after["findings"].size());
  EXPECT_EQ(json::parse(nightly({"report", "--json"}).out), after);
}

}  // namespace
}  // namespace harness
