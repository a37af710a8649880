// SPDX-License-Identifier: Apache-2.0
#include "harness/search/reproducer/reproducer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "harness/base/files/whole_file.h"
#include "harness/base/tests/child.h"
#include "harness/base/tests/folder.h"
#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/toy_scenario.h"
#include "harness/search/reproducer/words.h"

namespace harness {
namespace {

namespace toy = testing::toy;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Catalog kCatalog{toy::kScenarios, toy::kDevices};

Reproducer parse(std::string_view text) { return parse_reproducer(text, "file", kCatalog); }

/// Returns the complaint of parse(), or nothing.
std::string complaint(std::string_view text) {
  try {
    parse(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

std::string complaint_of_file(const std::string& file) {
  try {
    read_reproducer(file, kCatalog);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

constexpr std::string_view kHeader =
    "afterlife reproducer 1\npath toy\nvariant borrow\nconfig boxes=one temper=calm\ndevice none\n";

std::string with(std::string_view lines) { return std::string(kHeader) + std::string(lines); }

/// A folder for one test.
class ReproducerFile : public ::testing::Test {
 protected:
  std::string path(std::string_view name) const { return folder_ / std::string(name); }
  std::size_t file_count() const {
    const std::filesystem::directory_iterator begin(folder_.path()), end;
    return static_cast<std::size_t>(std::distance(begin, end));
  }

 private:
  Folder folder_;
};

// ---- writing ----------------------------------------------------------------------------------

TEST(Reproducer, WritesDecisionsInWords) {
  Runner runner;
  Tape tape = toy::small_program();
  tape.push_back(toy::decide(slot_name(toy::kUser, 1), Site::schedule,
                             words::value_of(derive_name(0, Label("mutator").hash(), 0))));
  const Case the_case = toy::make_case(toy::borrow, tape);
  const std::string text = to_string(describe(runner, runner.run(the_case), the_case));
  EXPECT_THAT(text, StartsWith(kHeader));
  EXPECT_THAT(text, HasSubstr("\ntasks user mutator\n"));
  EXPECT_THAT(text, HasSubstr("\nuser:0 op store\n"));
  EXPECT_THAT(text, HasSubstr("\nuser:1 schedule mutator\n"));
  EXPECT_THAT(text, HasSubstr("\nfault use_after_free Box born:"));
  EXPECT_TRUE(text.ends_with("\nend\n"));
}

TEST(Reproducer, RoundTripsAndReplaysTheRun) {
  Runner runner;
  strategies::RandomWalk walk(7);
  for (std::size_t run = 0; run < 300; ++run) {
    Case the_case = toy::make_case(toy::borrow, {}, run % config_count(toy::scenario));
    const Outcome& outcome =
        runner.run(toy::scenario, toy::borrow, the_case.config, toy::no_device, walk);
    const Reproducer written = describe(runner, outcome, the_case);
    const std::string text = to_string(written);
    const Reproducer read = parse(text);
    ASSERT_EQ(to_string(read), text);
    ASSERT_EQ(read.the_case.tape, written.the_case.tape) << text;
    ASSERT_EQ(read.the_case.config, the_case.config);
    runner.run(read.the_case);
    ASSERT_EQ(runner.trace_hash(), read.trace);
  }
}

TEST(Reproducer, EveryNameOfARandomRunIsKnown) {
  Runner runner;
  strategies::RandomWalk walk(3);
  for (int run = 0; run < 300; ++run) {
    const Outcome& outcome = runner.run(toy::scenario, toy::borrow, {}, toy::no_device, walk);
    EXPECT_EQ(to_string(describe(runner, outcome, toy::make_case(toy::borrow))).find("0x"),
              std::string::npos);
  }
}

TEST(Reproducer, WritesAnUnknownNameAsItsHash) {
  Reproducer reproducer{
      toy::make_case(toy::borrow, {toy::decide(derive_name(1, 2, 3), Site::lag, 70000)}),
      {},
      {},
      {},
      0};
  const std::string text = to_string(reproducer);
  EXPECT_THAT(text, HasSubstr("\n0x"));
  EXPECT_THAT(text, HasSubstr(" lag 0x00011170\n"));
  EXPECT_EQ(parse(text).the_case.tape, reproducer.the_case.tape);
}

// ---- reading ----------------------------------------------------------------------------------

TEST(Reproducer, CanBeEditedByHand) {
  const Reproducer reproducer = parse(
      with("# A comment.\n\n  tasks user mutator\r\nuser:0   op store # remembers\n1:0 op replace\n"
           "finalize:0 of Box:0 of mutator:0 order 1\nend"));
  ASSERT_EQ(reproducer.the_case.tape.size(), 3u);
  EXPECT_EQ(reproducer.the_case.tape[0],
            toy::decide(slot_name(0, 0), Site::op, toy::op(toy::store)));
  EXPECT_EQ(reproducer.the_case.tape[1],
            toy::decide(slot_name(1, 0), Site::op, toy::op(toy::replace)));
  const Name box = derive_name(slot_name(1, 0), Label("Box").hash(), 0);
  EXPECT_EQ(reproducer.the_case.tape[2],
            toy::decide(derive_name(box, Label("finalize").hash(), 0), Site::order, 1));
}

TEST(Reproducer, ADefaultAnswerIsDropped) {
  EXPECT_TRUE(parse(with("0:0 lag 0\nend\n")).the_case.tape.empty());
}

TEST(Reproducer, KindsOfSeveralWordsAreQuoted) {
  const Reproducer reproducer = parse(with("\"device memory\":2 of 0:1 lag[3] 1\nend\n"));
  EXPECT_EQ(
      reproducer.the_case.tape[0],
      toy::decide(derive_name(slot_name(0, 1), Label("device memory").hash(), 2), Site::lag, 1, 3));
  EXPECT_THAT(to_string(reproducer), HasSubstr("\n\"device memory\":2 of 0:1 lag[3] 1\n"));
}

TEST(Reproducer, ErrorsAreOneLineWithALineNumber) {
  const std::pair<std::string, std::string_view> kCases[] = {
      {"", "file:0: the file is empty"},
      {"#!/bin/sh\n", "file:1: this is not a reproducer"},
      {"afterlife reproducer\n", "file:1: this is not a reproducer"},
      {"afterlife reproducer 2\n", "file:1: this is format 2"},
      {std::string(100, '\0'), "file:1: this is not a reproducer"},
      {"afterlife reproducer 1\nend\n", "file:2: the 'path' line is missing"},
      {"afterlife reproducer 1\nvariant x\n", "file:2: the 'path' line is missing"},
      {"afterlife reproducer 1\npath mars\n", "file:2: there is no path 'mars'; the paths: toy"},
      {"afterlife reproducer 1\npath toy\nvariant x\n",
       "file:3: path toy has no variant 'x'; its variants: borrow"},
      {"afterlife reproducer 1\npath toy\nconfig boxes=nine\n",
       "file:3: axis boxes has no value 'nine'; its values: one"},
      {"afterlife reproducer 1\npath toy\nconfig colour=red\n",
       "file:3: path toy has no axis 'colour'; its axes: boxes"},
      {"afterlife reproducer 1\npath toy\nconfig boxes\n",
       "file:3: 'boxes' is not of the form axis=value"},
      {"afterlife reproducer 1\npath toy\ndevice abacus\n",
       "file:3: there is no device 'abacus'; the devices: none"},
      {with("path toy\nend\n"), "file:6: there is a second 'path' line"},
      {with(""), "file:5: the file was cut off"},
      {with("0:0 op store\n"), "file:6: the file was cut off"},
      {with("0:0 op\nend\n"), "file:6: the line ends too early: expected an answer"},
      {with("0:0\nend\n"), "file:6: the line ends too early: expected a site"},
      {with("0:0 mood 1\nend\n"), "file:6: there is no site 'mood'; the sites: op, argument"},
      {with("0:0 op jump\nend\n"), "file:6: path toy has no op 'jump'; its ops: store"},
      {with("0:0 lag[x] 1\nend\n"), "file:6: 'lag[x]': expected a number"},
      {with("0:0 lag 1x\nend\n"), "file:6: '1x' is not a number"},
      {with("0:99999 lag 1\nend\n"), "file:6: slot 99999 is out of bounds"},
      {with("stranger:0 lag 1\nend\n"), "file:6: there is no task 'stranger'"},
      {with("whatever\nend\n"), "file:6: 'whatever' is not an activation"},
      {with("\"x:0 lag 1\nend\n"), "file:6: a quotation mark is missing"},
      {with("0:0 lag 1\n0:0 lag 2\nend\n"), "file:7: this choice was made in an earlier line"},
      {with("0:0 lag 1 2\nend\n"), "file:6: expected nothing after the value"},
      {with("trace 12\nend\n"), "file:6: '12' is not a trace hash"},
      {with("fault\nend\n"), "file:6: expected the signature"},
      {with("end\n0:0 lag 1\n"), "file:7: there is more after 'end'"},
  };
  for (const auto& [text, expected] : kCases) {
    EXPECT_THAT(complaint(text), StartsWith(expected)) << text;
    EXPECT_EQ(complaint(text).find('\n'), std::string::npos) << text;
  }
}

TEST(Reproducer, EveryTruncationIsRefused) {
  const std::string text =
      with("tasks user mutator\nuser:0 op store\nfault x y\ntrace 0123456789abcdef\nend\n");
  ASSERT_EQ(complaint(text), "");
  for (std::size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_NE(complaint(std::string_view(text).substr(0, size)), "") << size;
}

TEST(Reproducer, NoiseDoesNotCrashTheReader) {
  const std::string text =
      with("tasks user mutator\nuser:0 op store\n\"a b\":1 of start lag[2] 3\nend\n");
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    std::string noisy = text;
    for (std::uint64_t j = state % 4 + 1; j-- > 0;) {
      state = mix(state, 1);
      noisy[state % noisy.size()] = static_cast<char>(state >> 32);
    }
    complaint(noisy);
  }
}

// ---- files ------------------------------------------------------------------------------------

TEST_F(ReproducerFile, IsWrittenAtomicallyAndReadBack) {
  const Reproducer reproducer = parse(with("0:0 op store\nend\n"));
  write_reproducer(path("a.txt"), reproducer);
  EXPECT_EQ(to_string(read_reproducer(path("a.txt"), kCatalog)), to_string(reproducer));
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(ReproducerFile, LeavesNothingBehindIfItCannotBeWritten) {
  std::filesystem::create_directory(path("taken"));
  std::ofstream(path("taken/inside")) << "x";
  const Reproducer reproducer = parse(with("end\n"));
  EXPECT_THROW(write_reproducer(path("taken"), reproducer), std::runtime_error);
  EXPECT_THROW(write_reproducer(path("missing/a.txt"), reproducer), std::runtime_error);
  EXPECT_EQ(file_count(), 1u);
}

// Despite concurrent readers or a killed writer, the whole old file exists until the new one does.
TEST_F(ReproducerFile, IsReplacedAndNeverOverwrittenInPlace) {
  write_whole_file(path("a.txt"), "old");
  std::filesystem::create_hard_link(path("a.txt"), path("reader.txt"));
  write_whole_file(path("a.txt"), "new");
  EXPECT_EQ(read_file(path("a.txt")), "new");
  EXPECT_EQ(read_file(path("reader.txt")), "old");
}

TEST_F(ReproducerFile, LeavesNothingBehindIfTheDiskIsFull) {
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  EXPECT_THROW(write_whole_file(path("a.txt"), "more than sixteen bytes"), std::runtime_error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(ReproducerFile, AMissingFileAndAFolderAreRefused) {
  EXPECT_THAT(complaint_of_file(path("missing")), HasSubstr("missing: cannot open: No such file"));
  EXPECT_THAT(complaint_of_file(path("")), HasSubstr("is a folder"));
}

// A run that ended at its limit leaves such one, if there was no time to make it smaller.
TEST_F(ReproducerFile, AFileOfTwoMebibytesIsRead) {
  std::ofstream file(path("long"));
  file << kHeader;
  for (std::size_t line = 0; line < (std::size_t{2} << 20) / 64; ++line)
    file << "# " << std::string(64, '.') << "\n";
  file << "end\n";
  file.close();
  EXPECT_EQ(complaint_of_file(path("long")), "");
}

TEST_F(ReproducerFile, AFileOfOneGibibyteIsRefusedUnread) {
  std::ofstream(path("large")) << "afterlife reproducer 1\n";
  std::filesystem::resize_file(path("large"), std::uintmax_t{1} << 30);
  EXPECT_THAT(complaint_of_file(path("large")), HasSubstr("is over 16 MiB"));
  EXPECT_THAT(complaint_of_file("/dev/zero"), HasSubstr("is a device, not a regular file"));
}

}  // namespace
}  // namespace harness
