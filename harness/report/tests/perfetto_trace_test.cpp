// SPDX-License-Identifier: Apache-2.0
// A trace has every row of the run, slices that nest, and arrows with two ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/cli/tests/toys_child.h"
#include "harness/devices/tests/cuda_stage.h"
#include "harness/report/perfetto_trace.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {
namespace {

using harness::testing::failing_tape;
using harness::testing::toy_case;
using ::testing::Contains;

/// A field of a message: its number, and its value or its bytes.
struct Field {
  std::uint64_t number;
  std::uint64_t value = 0;
  std::string bytes;
};

/// Reads the fields of a message (protobuf's encoding).
std::vector<Field> fields_of(const std::string& bytes) {
  std::vector<Field> fields;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(at++));
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.size()) {
    const std::uint64_t tag = varint();
    Field field{tag >> 3, 0, {}};
    if ((tag & 7) == 0) field.value = varint();
    if ((tag & 7) == 1)
      for (int i = 0; i < 8; ++i)
        field.value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at++))} << (8 * i);
    if ((tag & 7) == 2) {
      const std::uint64_t size = varint();
      field.bytes = bytes.substr(at, size);
      at += size;
    }
    fields.push_back(field);
  }
  return fields;
}

/// A trace as a program of another owner's reads it.
class ReadTrace {
 public:
  explicit ReadTrace(const std::string& trace) {
    for (const Field& packet : fields_of(trace)) read(packet.bytes);
  }

  const std::map<std::uint64_t, std::string>& tracks() const { return tracks_; }
  std::size_t slice_count() const { return slice_count_; }
  std::size_t instant_time_count() const { return instant_times_.size(); }
  const std::set<std::string>& instants() const { return instants_; }
  const std::multiset<std::uint64_t>& flows_begun() const { return flows_begun_; }
  const std::multiset<std::uint64_t>& flows_ended() const { return flows_ended_; }
  /// Returns how many slices were never ended.
  std::size_t open_slice_count() const {
    std::size_t count = 0;
    for (const auto& [track, open] : open_slices_) count += open.size();
    return count;
  }

 private:
  void read(const std::string& packet) {
    std::uint64_t time = 0;
    std::string event, descriptor;
    for (const Field& field : fields_of(packet)) {
      if (field.number == 8) time = field.value;
      if (field.number == 11) event = field.bytes;
      if (field.number == 60) descriptor = field.bytes;
    }
    if (!descriptor.empty()) return read_track(descriptor);
    EXPECT_GE(time, last_time_) << "of one sequence, in order";
    last_time_ = time;
    read_event(event, time);
  }

  void read_track(const std::string& descriptor) {
    std::uint64_t track = 0;
    for (const Field& field : fields_of(descriptor)) {
      if (field.number == 1) track = field.value;
      if (field.number == 2) tracks_[track] = field.bytes;
    }
  }

  void read_event(const std::string& event, std::uint64_t time) {
    std::uint64_t type = 0, track = 0;
    std::string name;
    for (const Field& field : fields_of(event)) {
      if (field.number == 9) type = field.value;
      if (field.number == 11) track = field.value;
      if (field.number == 23) name = field.bytes;
      if (field.number == 47) flows_begun_.insert(field.value);
      if (field.number == 48) flows_ended_.insert(field.value);
    }
    EXPECT_TRUE(tracks_.contains(track)) << "described before it is used";
    if (type == 1) open_slices_[track].push_back(name);
    if (type == 1) ++slice_count_;
    if (type == 2) {
      ASSERT_FALSE(open_slices_[track].empty()) << "an end without a begin";
      open_slices_[track].pop_back();
    }
    if (type == 3) instant_times_.insert(time), instants_.insert(name);
  }

  std::uint64_t last_time_ = 0;
  std::map<std::uint64_t, std::string> tracks_;
  std::map<std::uint64_t, std::vector<std::string>> open_slices_;
  std::size_t slice_count_ = 0;
  std::set<std::uint64_t> instant_times_;
  std::set<std::string> instants_;
  std::multiset<std::uint64_t> flows_begun_, flows_ended_;
};

/// A run of the toy path, drawn up whole and as the trace has it.
class PerfettoTrace : public ::testing::Test {
 protected:
  Timeline whole() const { return timeline(telling_, Extent::whole); }
  Timeline drawn() const { return timeline(telling_); }
  const ReadTrace& trace() const { return trace_; }

 private:
  Runner runner_;
  Case the_case_ = toy_case("borrow", failing_tape());
  const Outcome& outcome_ = runner_.run(the_case_);
  Telling telling_{the_case_, outcome_, runner_.world(), 0};
  ReadTrace trace_{perfetto_trace(telling_)};
};

void expect_a_flow_per_edge(const ReadTrace& trace, const Timeline& timeline) {
  EXPECT_EQ(trace.flows_begun().size(), timeline.edges.size());
  EXPECT_EQ(trace.flows_begun(), trace.flows_ended());
  const std::set<std::uint64_t> distinct(trace.flows_begun().begin(), trace.flows_begun().end());
  EXPECT_EQ(distinct.size(), timeline.edges.size());
}

TEST_F(PerfettoTrace, HasEveryRowOfTheRun) {
  EXPECT_GT(whole().rows.size(), drawn().rows.size());
  EXPECT_EQ(trace().instant_time_count(), whole().rows.size());
  for (const Row& row : drawn().rows) EXPECT_THAT(trace().instants(), Contains(row.text));
}

TEST_F(PerfettoTrace, HasATrackPerLaneAndNestedSlices) {
  const Timeline timeline = whole();
  EXPECT_EQ(trace().tracks().size(), timeline.lanes.size() + 3) << "and three groups";
  std::set<std::string> names;
  for (const auto& [track, name] : trace().tracks()) names.insert(name);
  for (const Lane& lane : timeline.lanes) EXPECT_THAT(names, Contains(lane.name));
  EXPECT_EQ(trace().slice_count(), timeline.spans.size());
  EXPECT_EQ(trace().open_slice_count(), 0u);
}

TEST_F(PerfettoTrace, HasAFlowPerEdge) {
  EXPECT_NE(whole().find(EdgeKind::missing), nullptr);
  expect_a_flow_per_edge(trace(), whole());
}

class PerfettoTraceOfStreams : public harness::testing::UnderStrategy {};

TEST_F(PerfettoTraceOfStreams, ARecordIsLinkedToItsWaitAcrossStreams) {
  run(harness::testing::Plain(), [] {
    const CUstream producer = harness::testing::make_stream();
    const CUstream consumer = harness::testing::make_stream();
    const CUevent event = harness::testing::make_event();
    CUDA_OK(cuEventRecord(event, producer));
    CUDA_OK(cuStreamWaitEvent(consumer, event, 0));
  });
  const Case the_case = toy_case("retain", {});
  const Telling telling{the_case, Outcome{}, stage.world, 0};
  const Timeline drawn = timeline(telling, Extent::whole);
  ASSERT_NE(drawn.find(EdgeKind::ordered), nullptr);
  expect_a_flow_per_edge(ReadTrace(perfetto_trace(telling)), drawn);
}

TEST(CliTrace, IsWrittenAtomicallyAndNeverOverACase) {
  const Folder folder;
  const std::string file = folder / "found.repro", trace = folder / "run.pftrace";
  write_file(file, testing::reproducer_text(toy_case("borrow", failing_tape())));
  const Ended ended = testing::run_toys({"replay", file, "--trace", trace});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, ::testing::HasSubstr("trace written to " + trace));
  const std::string first = read_file(trace);
  testing::run_toys({"replay", file, "--trace", trace});
  EXPECT_EQ(read_file(trace), first) << "equal runs give equal bytes";
  const Ended over = testing::run_toys({"replay", file, "--trace", file});
  EXPECT_EQ(over.code, 2);
  EXPECT_THAT(over.err, ::testing::HasSubstr("which no trace replaces"));
  EXPECT_EQ(testing::run_toys({"replay", file, file, "--trace", trace}).code, 3);
}

}  // namespace
}  // namespace harness::reports
